type Search = Readonly<Record<string, unknown>>;

/**
 * The parts of an address that `read` accepts. The router puts them over the address as it was written, so the others are set to
 * undefined: left out, they would reach the page unread.
 */
export function validSearch<T extends object>(read: (search: Search) => T): (search: Search) => T {
  return (search) => ({
    ...Object.fromEntries(Object.keys(search).map((name) => [name, undefined])),
    ...read(search),
  });
}
