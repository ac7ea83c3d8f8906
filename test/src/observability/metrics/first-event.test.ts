import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Metrics } from '../../../../src/observability/metrics/metrics.ts';

const ROOT = resolve(import.meta.dirname, '../../../..');
/** The series of an alert that fires at one event: `increase(NAME{LABEL="VALUE"}[…]) > 0`. */
const ONE_EVENT = /increase\((\w+\{\w+=\\"\w+\\"\})\[\w+\]\) > 0/g;

describe('an alert that fires at one event', () => {
  it('has its series from the start: the increase of a series that begins with 1 is 0', async () => {
    const rules = readFileSync(resolve(ROOT, 'deploy/prometheus/alerts.yml'), 'utf8');
    const series = Array.from(rules.matchAll(ONE_EVENT), ([, name = '']) => name.replaceAll('\\', ''));
    expect(series).toContain('trunkline_webhook_attempts_total{outcome="given_up"}');
    const text = await new Metrics().registry.metrics();
    for (const name of series) expect(text).toContain(`\n${name} 0\n`);
  });
});
