import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { z } from 'zod';
import {
  buildConsole,
  type ConsoleBrowser,
  signIn,
  startConsoleBrowser,
} from '../../test/console/browser/console-browser.ts';
import { ENTRIES, storeLongCall } from '../../test/console/browser/stored-long-call.ts';
import { hasPeer } from '../../test/peers/peer-process.ts';
import { TEST_API_KEY } from '../../test/service/rig/service-process.ts';
import { talker } from '../../test/service/rig/staged-call.ts';
import { startTestService } from '../../test/service/rig/test-service.ts';
import { percentilesOf } from '../percentiles.ts';
import { Report } from '../report.ts';

/**
 * The page of a call of half an hour with 400 entries, in Debian's Chromium without a GPU: the time until it is open, and the
 * intervals of its frames while a mouse scrolls through it.
 *
 *     node bench/console/main.ts [--opened 15] [--seconds 5]
 */
const { values } = parseArgs({
  options: { opened: { type: 'string', default: '15' }, seconds: { type: 'string', default: '5' } },
});
/** Each in a browser context of its own: no script is cached. */
const OPENED = Number(values.opened);
const SECONDS = Number(values.seconds);
/** A quick scroll, px a second. */
const SCROLL_SPEED = 2_000;
/** In the window. */
const MIDDLE = { x: 640, y: 400 };
const openedSchema = z.object({ entriesMs: z.number(), recordingMs: z.number() });
type Opened = z.infer<typeof openedSchema>;

const report = new Report('console');

async function measure(): Promise<void> {
  await buildConsole();
  const test = await startTestService({ LOG_LEVEL: 'warn' });
  const browser = await startConsoleBrowser(test.service.httpUrl);
  try {
    const { id } = await test.api.createAgent(talker({ name: 'Front desk' }));
    const callId = await storeLongCall(test, id);
    const opened: Opened[] = [];
    for (let nth = 0; nth < OPENED; nth++) {
      const one = await open(browser, callId);
      opened.push(one.opened);
      await one.page.context().close();
    }
    const { page } = await open(browser, callId);
    const { frames, scrolledPx } = await scroll(page);
    addRow(
      'open: all entries in the page',
      opened.map(({ entriesMs }) => entriesMs),
    );
    addRow(
      'open: recording ready, too',
      opened.map(({ recordingMs }) => recordingMs),
    );
    addRow('scroll: between two frames', frames);
    report.note(
      `${ENTRIES} entries, a recording of 58 MB. The mouse scrolled ${scrolledPx} px at ${SCROLL_SPEED} px a second.`,
    );
    report.note(
      'Service and browser share the cores; the browser draws without a GPU. A frame at 60 Hz takes 16.7 ms.',
    );
    await report.finish({ opened, frames, scrolledPx });
  } finally {
    await browser.close();
    await test.close();
  }
}

async function open(
  browser: ConsoleBrowser,
  callId: string,
): Promise<{ readonly page: Page; readonly opened: Opened }> {
  const { page } = await browser.open();
  await signIn(page, TEST_API_KEY);
  await page.getByRole('table').waitFor();
  const opened = openedSchema.parse(await page.evaluate(openingOf(callId)));
  return { page, opened };
}

async function scroll(page: Page): Promise<{ readonly frames: readonly number[]; readonly scrolledPx: number }> {
  const session = await page.context().newCDPSession(page);
  await page.evaluate(RECORD_FRAMES);
  // Returns when the browser has scrolled, as by the events of a mouse.
  await session.send('Input.synthesizeScrollGesture', {
    ...MIDDLE,
    yDistance: -SCROLL_SPEED * SECONDS,
    speed: SCROLL_SPEED,
    gestureSourceType: 'mouse',
  });
  const frames = z.array(z.number()).parse(await page.evaluate('window.frameIntervals'));
  return { frames, scrolledPx: Math.round(Number(await page.evaluate('scrollY'))) };
}

function addRow(name: string, times: readonly number[]): void {
  const { count, max, p50, p95 } = percentilesOf(times);
  report.add({ '': name, n: count, 'p50 ms': p50.toFixed(1), 'p95 ms': p95.toFixed(1), 'max ms': max.toFixed(1) });
}

/** A program for the browser: goes to the call, and measures until the frame that shows its entries, and until it can be played. */
function openingOf(callId: string): string {
  return `(async () => {
    const startMs = performance.now();
    const until = (isTrue) => new Promise((done) => {
      const look = () => isTrue() ? requestAnimationFrame(() => done(performance.now() - startMs)) : requestAnimationFrame(look);
      look();
    });
    location.hash = '/calls/${callId}';
    const entriesMs = until(() => document.querySelectorAll('.transcript > li').length === ${ENTRIES}
      && document.querySelector('[aria-label="Why was it silent?"]') !== null);
    const recordingMs = until(() => [...document.querySelectorAll('button:enabled')].some(({ textContent }) => textContent.endsWith('Play')));
    return { entriesMs: await entriesMs, recordingMs: await recordingMs };
  })()`;
}

/** A program for the browser: keeps the time between each two frames, ms. */
const RECORD_FRAMES = `(() => {
  window.frameIntervals = [];
  let beforeMs = performance.now();
  const frame = (atMs) => {
    window.frameIntervals.push(atMs - beforeMs);
    beforeMs = atMs;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
})()`;

if (hasPeer('chromium')) await measure();
else {
  report.note('Chromium is not installed (package chromium): nothing was measured.');
  await report.finish([]);
}
