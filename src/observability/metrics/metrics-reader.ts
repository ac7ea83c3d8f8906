import { type GaugeReadings, Gauges } from './gauges.ts';
import type { Metrics } from './metrics.ts';

/** A metric with its values now. `samples` of a histogram: its buckets (label `le`), `_sum` and `_count`, for each set of labels. */
export interface ReadMetric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly samples: readonly ReadSample[];
}

export interface ReadSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/** Reads all metrics, the gauges of the parts included. Simultaneous readers share one reading of the parts. */
export class MetricsReader {
  readonly contentType: string;
  readonly #metrics: Metrics;
  readonly #gauges: Gauges;
  readonly #read: () => Promise<GaugeReadings>;
  #reading: Promise<void> | null = null;

  /** @param read current values of the parts; never rejects */
  constructor(metrics: Metrics, read: () => Promise<GaugeReadings>) {
    this.#metrics = metrics;
    this.#gauges = new Gauges(metrics.registry);
    this.#read = read;
    this.contentType = metrics.registry.contentType;
  }

  /** In the text format of Prometheus. */
  async text(): Promise<string> {
    await this.#refresh();
    return this.#metrics.registry.metrics();
  }

  async values(): Promise<readonly ReadMetric[]> {
    await this.#refresh();
    const metrics = await this.#metrics.registry.getMetricsAsJSON();
    return metrics.flatMap(({ help, name, type, values }) => {
      // prom-client names the type by its text; it calls it an enumeration.
      const kind = KINDS.find((known) => known === String(type));
      if (kind === undefined) return [];
      const samples = values.map((sample) => ({
        name: 'metricName' in sample ? String(sample.metricName) : name,
        labels: labelsOf(sample.labels),
        value: sample.value,
      }));
      return [{ name, help, type: kind, samples }];
    });
  }

  close(): void {
    this.#gauges.close();
  }

  #refresh(): Promise<void> {
    this.#reading ??= this.#read()
      .then((readings) => this.#gauges.set(readings))
      .finally(() => {
        this.#reading = null;
      });
    return this.#reading;
  }
}

const KINDS = ['counter', 'gauge', 'histogram'] as const;

function labelsOf(labels: Partial<Record<string, string | number>>): ReadSample['labels'] {
  return Object.fromEntries(
    Object.entries(labels).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
