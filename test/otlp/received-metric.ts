import { type AttributeValue, all, attributesIn } from './attributes.ts';
import { type Field, readFields } from './protobuf.ts';

/** A metric as a collector gets it. */
export interface ReceivedMetric {
  readonly name: string;
  readonly type: 'gauge' | 'histogram' | 'sum';
  readonly points: readonly ReceivedPoint[];
}

/** `value` of a sum or a gauge; the others of a histogram. */
interface ReceivedPoint {
  readonly attributes: Readonly<Record<string, AttributeValue>>;
  readonly value: number;
  readonly count: number;
  readonly sum: number;
  readonly buckets: readonly number[];
  readonly bounds: readonly number[];
}

/** Fields of `Metric`. */
const TYPES = { 5: 'gauge', 7: 'sum', 9: 'histogram' } as const;

/**
 * The metrics of a request. Numbers of the fields:
 * https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/metrics/v1/metrics.proto
 */
export function readMetricsRequest(body: Buffer): readonly ReceivedMetric[] {
  return all(readFields(body), 1)
    .flatMap((resourceMetrics) => all(readFields(resourceMetrics), 2))
    .flatMap((scope) => all(readFields(scope), 2))
    .flatMap((metric) => {
      const fields = readFields(metric);
      const name = String(all(fields, 1)[0] ?? '');
      return ([5, 7, 9] as const).flatMap((number) =>
        all(fields, number).map((data) => ({
          name,
          type: TYPES[number],
          points: all(readFields(data), 1).map((point) => readPoint(readFields(point), TYPES[number])),
        })),
      );
    });
}

function readPoint(fields: readonly Field[], type: ReceivedMetric['type']): ReceivedPoint {
  const value = (number: number) => fields.find((field) => field.number === number)?.value ?? 0n;
  return {
    attributes: attributesIn(fields, type === 'histogram' ? 9 : 7),
    value: double(value(4)),
    count: Number(value(4)),
    sum: double(value(5)),
    buckets: eightBytes(fields, 6).map(Number),
    bounds: eightBytes(fields, 7).map(double),
  };
}

/** A repeated field of eight bytes, packed or not. */
function eightBytes(fields: readonly Field[], number: number): readonly bigint[] {
  return fields
    .filter((field) => field.number === number)
    .flatMap(({ bytes, value }) =>
      bytes.length === 0
        ? [value]
        : Array.from({ length: bytes.length / 8 }, (_, index) => bytes.readBigUInt64LE(index * 8)),
    );
}

function double(bits: bigint): number {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(bits);
  return bytes.readDoubleLE(0);
}
