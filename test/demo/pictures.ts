import { mkdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { z } from 'zod';
import { buildConsole, signIn, startConsoleBrowser } from '../console/browser/console-browser.ts';
import { startServiceProcess, TEST_API_KEY } from '../service/rig/service-process.ts';
import { liveDemo, OUTPUT, TAPE_DIR } from './live-demo.ts';

/** `npm run pictures`: makes the README's pictures of the console from the call of the demo. Needs Debian's Chromium. */
const FOLDER = resolve(import.meta.dirname, '../../docs/pictures');
const SIZE = { width: 1_240, height: 780 };

const call = z.object({ id: z.string(), agent_id: z.string() });

if (!(await liveDemo())) throw new Error('the demo failed: see demo-output');
const { agent_id: agentId, id: callId } = call.parse(JSON.parse(await readFile(join(OUTPUT, 'call.json'), 'utf8')));
await mkdir(FOLDER, { recursive: true });
await buildConsole();
const service = await startServiceProcess({ DATA_DIR: join(OUTPUT, 'data'), TAPE_DIR });
const browser = await startConsoleBrowser(service.httpUrl);
try {
  const { page } = await browser.open();
  await page.setViewportSize(SIZE);
  await signIn(page, TEST_API_KEY);
  await takeCall(page);
  await takeAgent(page);
} finally {
  await browser.close();
  await service.stop();
}

/** The recording, who spoke, what happened, and why it was silent. */
async function takeCall(page: Page): Promise<void> {
  await page.evaluate(`location.hash = '/calls/${callId}'`);
  await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
  await page.getByRole('region', { name: 'Why was it silent?' }).waitFor();
  await page.getByRole('region', { name: 'Time axis' }).scrollIntoViewIfNeeded();
  await take(page, 'call');
}

/** Its states and transitions. */
async function takeAgent(page: Page): Promise<void> {
  await page.evaluate(`location.hash = '/agents/${agentId}'`);
  await page.locator('.react-flow__edge-text').first().waitFor();
  await take(page, 'agent');
}

async function take(page: Page, name: string): Promise<void> {
  await page.waitForLoadState('networkidle');
  await page.screenshot({ path: join(FOLDER, `${name}.png`), animations: 'disabled', scale: 'css' });
}
