import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { Gauges } from '../../../../src/observability/metrics/gauges.ts';
import { Metrics } from '../../../../src/observability/metrics/metrics.ts';
import { REFUSAL_CAUSES } from '../../../../src/telephony/refusals/refusal-cause.ts';

const ROOT = resolve(import.meta.dirname, '../../../..');
const DASHBOARDS = globSync('deploy/grafana/dashboards/*.json', { cwd: ROOT });
const datasourceSchema = z.strictObject({ type: z.literal('prometheus'), uid: z.literal('prometheus') });
const panelSchema = z.strictObject({
  id: z.int().positive(),
  type: z.literal('timeseries'),
  title: z.string().min(1),
  description: z.string().optional(),
  datasource: datasourceSchema,
  gridPos: z.strictObject({
    h: z.int().positive(),
    w: z.int().positive(),
    x: z.int().nonnegative(),
    y: z.int().nonnegative(),
  }),
  fieldConfig: z.strictObject({
    defaults: z.strictObject({
      unit: z.enum(['bytes', 'percentunit', 's', 'short']),
      min: z.number(),
      max: z.number().optional(),
    }),
    overrides: z.tuple([]),
  }),
  options: z.strictObject({
    legend: z.strictObject({
      displayMode: z.enum(['list', 'table', 'hidden']),
      placement: z.enum(['bottom', 'right']),
    }),
    tooltip: z.strictObject({ mode: z.enum(['single', 'multi', 'none']) }),
  }),
  targets: z
    .array(z.strictObject({ refId: z.string().regex(/^[A-Z]$/), expr: z.string(), legendFormat: z.string() }))
    .min(1),
});
/**
 * The fields of Grafana's dashboard model that the files use, and no others: Grafana ignores what it does not know.
 * https://grafana.com/docs/grafana/latest/dashboards/build-dashboards/view-dashboard-json-model/
 */
const dashboardSchema = z.strictObject({
  uid: z.string().regex(/^[\w-]{1,40}$/),
  title: z.string(),
  tags: z.array(z.string()),
  timezone: z.enum(['browser', 'utc']),
  schemaVersion: z.int(),
  version: z.int(),
  editable: z.boolean(),
  refresh: z.string(),
  time: z.strictObject({ from: z.string(), to: z.string() }),
  templating: z.strictObject({
    list: z.array(
      z.strictObject({
        name: z.string(),
        label: z.string(),
        type: z.literal('query'),
        datasource: datasourceSchema,
        query: z.strictObject({ query: z.string(), refId: z.string() }),
        refresh: z.int(),
        multi: z.boolean(),
        includeAll: z.boolean(),
        current: z.strictObject({ text: z.string(), value: z.string() }),
      }),
    ),
  }),
  panels: z.array(panelSchema).min(1),
});
/** Columns of Grafana's grid. */
const GRID_WIDTH = 24;
const rulesSchema = z.object({
  groups: z.array(
    z.object({
      rules: z.array(z.object({ alert: z.string(), expr: z.string(), annotations: z.object({ runbook: z.string() }) })),
    }),
  ),
});

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const rules = rulesSchema.parse(parse(read('deploy/prometheus/alerts.yml'))).groups.flatMap((group) => group.rules);
const tests = read('deploy/prometheus/alerts.test.yml');

/** The names in `/metrics`, with those of the series of histograms. */
async function servedNames(): Promise<ReadonlySet<string>> {
  const metrics = new Metrics();
  const gauges = new Gauges(metrics.registry);
  const media = { sessions: 0, packetsReceived: 0, packetsSent: 0, packetsDropped: 0, latenessP99Ms: 0, busyShare: 0 };
  const sip = {
    transactions: 0,
    dialogs: 0,
    connections: 0,
    malformed: 0,
    overRate: 0,
    unknownSources: 0,
    scanners: 0,
    invitesLimited: 0,
    refusalsUnreported: 0,
    connectionsRefused: 0,
    internalErrors: 0,
    timers: 0,
    applications: 0,
  };
  gauges.set({
    liveCalls: 0,
    leads: true,
    overload: { phase: 'open', reading: { event_loop: 0, media: 0, database: 0 } },
    media: { ...media, skipped: 0, underruns: 0, sockets: ['epoll'] },
    hosts: [],
    sip,
    openWork: { openCalls: new Map(), pendingDeliveries: 0 },
    uploads: { calls: 0, oldestMs: 0 },
    disk: { freeBytes: 0, lowWaterBytes: 0 },
    trunks: new Map(),
    registrations: new Map(),
    circuits: [],
  });
  gauges.close();
  const served = await metrics.registry.getMetricsAsJSON();
  return new Set(
    served.flatMap(({ name, type }) =>
      String(type) === 'histogram' ? ['bucket', 'count', 'sum'].map((part) => `${name}_${part}`) : [name],
    ),
  );
}

const namesIn = (expression: string) => expression.match(/\b(?:trunkline|process)_[a-z0-9_]+/g) ?? [];

describe('the monitoring files of deploy/', () => {
  it.each(DASHBOARDS)('ask only for metrics that the service has: %s', async (path) => {
    const served = await servedNames();
    const { panels } = dashboardSchema.parse(JSON.parse(read(path)));
    for (const { targets, title } of panels)
      for (const { expr } of targets) {
        expect(namesIn(expr).length, title).toBeGreaterThan(0);
        expect(
          namesIn(expr).filter((name) => !served.has(name)),
          title,
        ).toEqual([]);
      }
  });

  it.each(DASHBOARDS)('fit the model of Grafana, with panels beside each other: %s', (path) => {
    const { panels, templating } = dashboardSchema.parse(JSON.parse(read(path)));
    const variables = ['__rate_interval', ...templating.list.map(({ name }) => name)];
    const cells = panels.flatMap(({ gridPos: { h, w, x, y } }) => {
      expect(x + w).toBeLessThanOrEqual(GRID_WIDTH);
      return Array.from({ length: h * w }, (_, cell) => `${x + (cell % w)} ${y + Math.floor(cell / w)}`);
    });
    expect(new Set(cells).size).toBe(cells.length);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    for (const { targets, title } of panels) {
      expect(new Set(targets.map(({ refId }) => refId)).size, title).toBe(targets.length);
      const named = targets.flatMap(({ expr }) => [...expr.matchAll(/\$(\w+)/g)].map(([, name]) => name));
      expect(
        named.filter((name) => !variables.includes(name ?? '')),
        title,
      ).toEqual([]);
    }
  });

  it.each(rules)(
    'have a metric, a runbook page and a test of the alert $alert',
    async ({ alert, annotations, expr }) => {
      const served = await servedNames();
      expect(namesIn(expr).filter((name) => !served.has(name))).toEqual([]);
      expect(existsSync(join(ROOT, annotations.runbook))).toBe(true);
      expect(tests).toContain(`alertname: ${alert}\n`);
    },
  );

  it('say what to do about each cause that the alert InvitesRefused counts, and about no other', () => {
    const { annotations, expr = '' } = rules.find(({ alert }) => alert === 'InvitesRefused') ?? {};
    const counted = /cause=~"([\w|]+)"/.exec(expr)?.[1]?.split('|') ?? [];
    expect(counted.filter((cause) => !Object.hasOwn(REFUSAL_CAUSES, cause))).toEqual([]);
    const page = read(annotations?.runbook ?? '');
    const described = [...page.matchAll(/^- `(\w+)`: /gm)].map(([, cause]) => cause);
    expect(described.toSorted()).toEqual(counted.toSorted());
  });
});
