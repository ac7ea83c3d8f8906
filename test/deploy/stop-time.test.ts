import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { ATTEMPT_TIMEOUT_MS } from '../../src/background/webhooks/signed-request.ts';
import { END_WAIT_MS } from '../../src/calls/local-call-service.ts';
import { loadConfiguration } from '../../src/configuration/configuration.ts';
import { STOP_MS } from '../../src/object-storage/call-uploads.ts';
import { STOP_READS_MS } from '../../src/observability/opentelemetry/call-tracing.ts';
import { STOP_TIMEOUT_MS } from '../../src/observability/opentelemetry/otlp-exporter.ts';

/** What a supervisor adds to `DRAIN_SECONDS`, s. */
const ADDED_SECONDS = 60;
const DRAIN_SECONDS = loadConfiguration({}).drainMs / 1_000;
const deployed = (file: string) => readFileSync(join(import.meta.dirname, '../../deploy', file), 'utf8');
const compose = z.object({ services: z.object({ trunkline: z.object({ stop_grace_period: z.string() }) }) });

it('the systemd unit, Compose and the chart give the same time to stop', () => {
  expect(deployed('trunkline.service')).toContain(`\nTimeoutStopSec=${DRAIN_SECONDS + ADDED_SECONDS}\n`);
  const { services } = compose.parse(parse(deployed('compose.yaml')));
  expect(services.trunkline.stop_grace_period).toBe(`${DRAIN_SECONDS + ADDED_SECONDS}s`);
  const grace = `{{ add .Values.drain.preStopSeconds .Values.drain.seconds ${ADDED_SECONDS} }}`;
  expect(deployed('chart/templates/statefulset.yaml')).toContain(`terminationGracePeriodSeconds: ${grace}\n`);
});

it('the parts of the service that wait for others stop one after the other within that time', () => {
  const [traces, logs, metrics] = [STOP_READS_MS + STOP_TIMEOUT_MS, STOP_TIMEOUT_MS, STOP_TIMEOUT_MS];
  expect(END_WAIT_MS + metrics + ATTEMPT_TIMEOUT_MS + traces + logs + STOP_MS).toBeLessThan(ADDED_SECONDS * 1_000);
});
