// The token of this launch of `overt ui`. It arrives in the fragment of the address, which browsers
// never send, and leaves the address bar at once.

const key = "overt-token";

export function takeToken(): string | null {
  const fragment = new URLSearchParams(location.hash.replace(/^#/, ""));
  const given = fragment.get("token");
  if (given) {
    sessionStorage.setItem(key, given);
    history.replaceState(history.state, "", location.pathname + location.search);
  }
  return sessionStorage.getItem(key);
}

export function forgetToken(): void {
  sessionStorage.removeItem(key);
}
