export type Attribute = string | number | boolean;

/** A span of a trace, ready for export. Plain data. Times are µs since 1970. */
export interface TraceSpan {
  readonly spanId: string;
  /** Null: the trace begins with it. */
  readonly parentId: string | null;
  readonly name: string;
  /** `server`: a request to us. `client`: our request to another system. */
  readonly kind: 'internal' | 'server' | 'client';
  readonly fromUs: number;
  readonly toUs: number;
  readonly attributes: Readonly<Record<string, Attribute>>;
  readonly events: readonly TraceEvent[];
  /** `error.type`: one of a few values; null: it did not fail. */
  readonly error: string | null;
}

export interface TraceEvent {
  readonly name: string;
  readonly atUs: number;
  readonly attributes: Readonly<Record<string, Attribute>>;
}
