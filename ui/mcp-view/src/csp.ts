// The domains that an app declares, checked. The sandbox page makes the policy from those that are left.
import { type ResourceCsp, type ViewOptions } from "./types";

/**
 * An origin, with a wildcard for subdomains if need be. Nothing that could end a directive, start
 * another, or name a whole scheme fits.
 */
export const domain = /^(http|ws)s?:\/\/(\*\.)?[a-z\d]([a-z\d.-]{0,251}[a-z\d])?(:\d{1,5})?$/i;
const mostDomains = 64;

/** The declared domains that are well-formed and allowed, with nothing else. */
export function approvedDomains(declared: ResourceCsp | undefined, allow: ViewOptions["allowDomain"] = () => true): ResourceCsp {
  const approved: ResourceCsp = {};
  for (const one of ["connect", "resource", "frame", "baseUri"] as const) {
    const kind = `${one}Domains` as const;
    const listed: unknown = declared?.[kind];
    if (Array.isArray(listed)) approved[kind] = listed.slice(0, mostDomains).filter((name) => domain.test(name) && allow(String(name), kind)).map(String);
  }
  return approved;
}
