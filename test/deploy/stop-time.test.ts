import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { CLOSE_TIMEOUT_MS as MEDIA_MS } from '../../sip/media/main-thread/create-media-service.ts';
import { CLOSE_TIMEOUT_MS as SIP_SERVER_MS } from '../../sip/server/embedded-server.ts';
import { CLOSE_TIMEOUT_MS as API_MS } from '../../src/api/server.ts';
import { ATTEMPT_TIMEOUT_MS } from '../../src/background/webhooks/signed-request.ts';
import { STOP_TIMEOUT_MS as CALL_HOSTS_MS } from '../../src/calls/host-process/host-slot.ts';
import { END_WAIT_MS } from '../../src/calls/local-call-service.ts';
import { loadConfiguration } from '../../src/configuration/configuration.ts';
import { STOP_MS } from '../../src/object-storage/call-uploads.ts';
import { CHECK_MS_MAX as LATE_FILES_MS } from '../../src/object-storage/late-files.ts';
import { STOP_READS_MS } from '../../src/observability/opentelemetry/call-tracing.ts';
import { STOP_TIMEOUT_MS } from '../../src/observability/opentelemetry/otlp-exporter.ts';
import { CLOSE_TIMEOUT_MS as NODE_BUS_MS } from '../../src/storage/cluster/node-bus.ts';

/** What a supervisor adds to `DRAIN_SECONDS`, s. */
const ADDED_SECONDS = 60;
const DRAIN_SECONDS = loadConfiguration({}).drainMs / 1_000;
const fileOf = (path: string) => readFileSync(join(import.meta.dirname, '../..', path), 'utf8');
const deployed = (file: string) => fileOf(join('deploy', file));
const compose = z.object({ services: z.object({ trunkline: z.object({ stop_grace_period: z.string() }) }) });

it('the systemd unit, Compose, the chart and the guide give the same time to stop', () => {
  expect(deployed('trunkline.service')).toContain(`\nTimeoutStopSec=${DRAIN_SECONDS + ADDED_SECONDS}\n`);
  const { services } = compose.parse(parse(deployed('compose.yaml')));
  expect(services.trunkline.stop_grace_period).toBe(`${DRAIN_SECONDS + ADDED_SECONDS}s`);
  const grace = `{{ add .Values.drain.preStopSeconds .Values.drain.seconds ${ADDED_SECONDS} }}`;
  expect(fileOf('docs/deploy.md')).toContain(` --stop-timeout ${DRAIN_SECONDS + ADDED_SECONDS} `);
  expect(deployed('chart/templates/statefulset.yaml')).toContain(`terminationGracePeriodSeconds: ${grace}\n`);
});

it('the parts of the service that wait for others stop one after the other within that time', () => {
  const [traces, logs, metrics] = [STOP_READS_MS + STOP_TIMEOUT_MS, STOP_TIMEOUT_MS, STOP_TIMEOUT_MS];
  const calls = [END_WAIT_MS, CALL_HOSTS_MS, SIP_SERVER_MS, MEDIA_MS];
  const files = Math.max(STOP_MS, LATE_FILES_MS);
  const waits = [API_MS, metrics, ATTEMPT_TIMEOUT_MS, traces, logs, files, NODE_BUS_MS, ...calls];
  expect(waits.reduce((sum, wait) => sum + wait)).toBeLessThan(ADDED_SECONDS * 1_000);
});
