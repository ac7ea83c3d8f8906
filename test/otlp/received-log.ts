import { type AttributeValue, all, attributesIn, attributeValue } from './attributes.ts';
import { readFields } from './protobuf.ts';

/** A line of the log as a collector gets it. */
export interface ReceivedLog {
  readonly atMs: number;
  /** 9: info, 13: warn. */
  readonly severity: number;
  readonly body: AttributeValue;
  readonly attributes: Readonly<Record<string, AttributeValue>>;
  /** Empty: of no trace. */
  readonly traceId: string;
  readonly spanId: string;
  readonly resource: Readonly<Record<string, AttributeValue>>;
}

/**
 * The lines of a request. Numbers of the fields:
 * https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/logs/v1/logs.proto
 */
export function readLogsRequest(body: Buffer): readonly ReceivedLog[] {
  return all(readFields(body), 1).flatMap((resourceLogs) => {
    const parts = readFields(resourceLogs);
    const resource = attributesIn(readFields(all(parts, 1)[0] ?? Buffer.alloc(0)), 1);
    return all(parts, 2).flatMap((scope) =>
      all(readFields(scope), 2).map((line) => {
        const fields = readFields(line);
        const value = (number: number) => fields.find((field) => field.number === number)?.value ?? 0n;
        const bytes = (number: number) => all(fields, number)[0] ?? Buffer.alloc(0);
        return {
          atMs: Number(value(1) / 1_000_000n),
          severity: Number(value(2)),
          body: attributeValue(readFields(bytes(5))[0]),
          attributes: attributesIn(fields, 6),
          traceId: bytes(9).toString('hex'),
          spanId: bytes(10).toString('hex'),
          resource,
        };
      }),
    );
  });
}
