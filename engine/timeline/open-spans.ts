import type { CallSpan } from './call-span.ts';

type WithoutTimes<S> = S extends unknown ? Omit<S, 'fromUs' | 'toUs'> : never;
/** A span that has not ended. */
export type OpenSpan = WithoutTimes<CallSpan>;

/** Spans that have begun, by a key of which one is open at a time. */
export class OpenSpans {
  readonly #open = new Map<string, { readonly fromUs: number; readonly span: OpenSpan }>();

  /** Without effect while one with this key is open. */
  begin(key: string, span: OpenSpan, fromUs: number): void {
    if (!this.#open.has(key)) this.#open.set(key, { fromUs, span });
  }

  get(key: string): OpenSpan | undefined {
    return this.#open.get(key)?.span;
  }

  has(key: string): boolean {
    return this.#open.has(key);
  }

  /** @param span the final span; absent: as it began */
  end(key: string, toUs: number, span?: OpenSpan): readonly CallSpan[] {
    const open = this.#open.get(key);
    if (open === undefined) return [];
    this.#open.delete(key);
    return [{ ...(span ?? open.span), fromUs: open.fromUs, toUs }];
  }

  /** Ends all spans whose key has this prefix. */
  endAll(toUs: number, prefix = ''): readonly CallSpan[] {
    return [...this.#open.keys()].filter((key) => key.startsWith(prefix)).flatMap((key) => this.end(key, toUs));
  }
}
