import { type Finding, fine, warning } from './finding.ts';

/** Times of webhooks and of the call list are those of the nodes: a second apart changes no order that matters. */
const APART_MS_MAX = 1_000;

interface ClockReadings {
  /** By the clock of this machine, ms since 1970. */
  readonly askedMs: number;
  readonly answeredMs: number;
  /** By the clock of the database, between the two. */
  readonly databaseMs: number;
}

/** Compares the clock of this machine with that of PostgreSQL. The time of the query counts for neither. */
export function checkClocks({ answeredMs, askedMs, databaseMs }: ClockReadings): Finding {
  const apartMs = Math.max(askedMs - databaseMs, databaseMs - answeredMs, 0);
  if (apartMs <= APART_MS_MAX) return fine('clock', 'agrees with the clock of PostgreSQL');
  const side = databaseMs < askedMs ? 'ahead of' : 'behind';
  const text = `${(apartMs / 1_000).toFixed(1)} s ${side} the clock of PostgreSQL`;
  return warning('clock', text, 'synchronize the clocks of both machines, with NTP');
}
