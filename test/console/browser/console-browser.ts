import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import axe from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import { z } from 'zod';

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, '../../..');
/** Folder for screenshots; without it none are taken. */
export const SCREENSHOT_FOLDER = process.env.TRUNKLINE_PICTURES;
/** px by which the widest table exceeds its frame. */
export const TABLE_OVERFLOW =
  "Math.max(...[...document.querySelectorAll('.table-scroll')].map((frame) => frame.scrollWidth - frame.clientWidth))";
const WIDE = { width: 1_280, height: 800 };
const NARROW = { width: 390, height: 844 };

const violationsSchema = z.array(z.object({ id: z.string(), nodes: z.array(z.object({ html: z.string() })) }));

export interface ConsolePage {
  readonly page: Page;
  /** The errors of the browser: refused scripts and styles, failed requests, uncaught errors. */
  readonly complaints: readonly string[];
}

export interface OpenedPage {
  /** Path of a page of the service; absent: the console. */
  readonly path?: string;
  /** Whether the user allows the microphone. */
  readonly microphone?: boolean;
  /** Runs before the scripts of the page. */
  readonly beforeScripts?: string;
}

export interface ConsoleBrowser {
  open(options?: OpenedPage): Promise<ConsolePage>;
  close(): Promise<void>;
}

/** Builds the console as a release has it: vitest's environment would give a build for development. */
export async function buildConsole(): Promise<void> {
  const env = { ...process.env, NODE_ENV: 'production' };
  await run(join(ROOT, 'node_modules/.bin/vite'), ['build', 'console', '--logLevel', 'error'], { cwd: ROOT, env });
}

/**
 * Debian's Chromium at the console of a service.
 *
 * @param microphone path of a WAV file, which the microphone repeats
 */
export async function startConsoleBrowser(httpUrl: string, microphone?: string): Promise<ConsoleBrowser> {
  const sound = microphone === undefined ? [] : [`--use-file-for-fake-audio-capture=${microphone}`];
  const browser: Browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--mute-audio',
      '--use-fake-device-for-media-stream',
      ...sound,
    ],
  });
  return {
    open: async ({ path = '/console', microphone: isAllowed = false, beforeScripts } = {}) => {
      const permissions = isAllowed ? ['microphone'] : [];
      const context = await browser.newContext({ viewport: WIDE, locale: 'en-GB', permissions });
      if (beforeScripts !== undefined) await context.addInitScript(beforeScripts);
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on('pageerror', (error) => complaints.push(String(error)));
      page.on('console', (message) => {
        if (message.type() === 'error') complaints.push(message.text());
      });
      await page.goto(`${httpUrl}${path}`);
      return { page, complaints };
    },
    close: () => browser.close(),
  };
}

export async function signIn(page: Page, key: string): Promise<void> {
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
}

/** Rule and element of each violation that axe finds: WCAG 2.2 A and AA, and axe's own good practice. */
async function violationsOf(page: Page): Promise<readonly string[]> {
  // As a function of the protocol, not as an inline script, which the page refuses.
  await page.evaluate(axe.source);
  const found = violationsSchema.parse(await page.evaluate('axe.run().then(({ violations }) => violations)'));
  return found.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}

/** Checks a page light, dark and narrow: no violation, no sideways scrolling. Takes the screenshots. */
export async function faultsOfPage(page: Page, name: string): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const look of ['light', 'dark', 'narrow'] as const) {
    await page.emulateMedia({ colorScheme: look === 'dark' ? 'dark' : 'light' });
    await page.setViewportSize(look === 'narrow' ? NARROW : WIDE);
    if (SCREENSHOT_FOLDER !== undefined) {
      await mkdir(SCREENSHOT_FOLDER, { recursive: true });
      await page.screenshot({ path: join(SCREENSHOT_FOLDER, `${name}-${look}.png`), animations: 'disabled' });
    }
    faults.push(...(await violationsOf(page)).map((fault) => `${look}: ${fault}`));
    const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    if (Number(overflow) > 0) faults.push(`${look}: scrolls sideways by ${overflow} px`);
  }
  await page.setViewportSize(WIDE);
  await page.emulateMedia({ colorScheme: 'light' });
  return faults;
}
