//! How the benchmarks are called.

pub(crate) const USAGE: &str = "\
usage: cargo xtask bench WHAT [OPTIONS], where WHAT is one of
  serve [--rounds N] [--seconds S] [--check] [--tolerance T]
  proxy [--only NAME,...] [--part PART,...] [--rounds N] [--seconds S] [--check] [--soak]
  fs [--peers] [--rows ROW,...] [--rounds N] [--seconds S] [--check]
  pages [--entries N] [--binary PATH] [--check]
  cpu [--binary NAME=PATH]... [--part PART,...] [--rounds N] [--calls N] [--check]
  describe [--rounds N] [--check]
  control [SECONDS [ROUNDS]]
  log [--records N] [--rounds N] [--check]
  skills [--peers] [--skills N] [--rounds N] [--binary PATH] [--check]
  ui [--rounds N] [--questions N] [--binary PATH] [--check]
  wire";
