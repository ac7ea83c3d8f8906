import { type AttributeValue, all, attributesIn } from './attributes.ts';
import { type Field, readFields } from './protobuf.ts';

/** A span as a collector gets it. Times are µs since 1970. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty: the trace begins with it. */
  readonly parentId: string;
  readonly name: string;
  /** 1: internal, 2: server, 3: client. */
  readonly kind: number;
  readonly fromUs: number;
  readonly toUs: number;
  readonly attributes: Readonly<Record<string, AttributeValue>>;
  readonly events: readonly string[];
  readonly isError: boolean;
  readonly resource: Readonly<Record<string, AttributeValue>>;
}

/**
 * The spans of a request. Numbers of the fields:
 * https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/trace/v1/trace.proto
 */
export function readTraceRequest(body: Buffer): readonly ReceivedSpan[] {
  return all(readFields(body), 1).flatMap((resourceSpans) => {
    const parts = readFields(resourceSpans);
    const resource = attributesIn(readFields(all(parts, 1)[0] ?? Buffer.alloc(0)), 1);
    return all(parts, 2).flatMap((scope) =>
      all(readFields(scope), 2).map((span) => readSpan(readFields(span), resource)),
    );
  });
}

function readSpan(fields: readonly Field[], resource: ReceivedSpan['resource']): ReceivedSpan {
  const bytes = (number: number) => all(fields, number)[0] ?? Buffer.alloc(0);
  const value = (number: number) => fields.find((field) => field.number === number)?.value ?? 0n;
  return {
    traceId: bytes(1).toString('hex'),
    spanId: bytes(2).toString('hex'),
    parentId: bytes(4).toString('hex'),
    name: bytes(5).toString(),
    kind: Number(value(6)),
    fromUs: Number(value(7) / 1000n),
    toUs: Number(value(8) / 1000n),
    attributes: attributesIn(fields, 9),
    events: all(fields, 11).map((event) => (all(readFields(event), 2)[0] ?? '').toString()),
    isError: readFields(bytes(15)).some(({ number, value: code }) => number === 3 && code === 2n),
    resource,
  };
}
