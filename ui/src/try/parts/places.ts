// Work that waits for a place, in its order.

export class Places {
  private readonly waiting: (() => void)[] = [];

  constructor(private free: number) {}

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.free > 0) this.free -= 1;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      return await work();
    } finally {
      // The place goes to the next one, or is free.
      const next = this.waiting.shift();
      if (next) next();
      else this.free += 1;
    }
  }
}
