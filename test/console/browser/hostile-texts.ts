import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasPeer } from '../../peers/peer-process.ts';
import { TEST_API_KEY } from '../../service/rig/service-process.ts';
import { type ConsoleBrowser, signIn, startConsoleBrowser } from './console-browser.ts';
import { type HostileWorld, startHostileWorld } from './hostile-world.ts';

/** Keeps what the content security policy refused. */
const KEEP_VIOLATIONS = `
  window.violations = [];
  document.addEventListener('securitypolicyviolation', (event) =>
    window.violations.push(event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sample));`;
/** Elements that only markup of others can have made. */
const PLANTED =
  '[...document.querySelectorAll(\'[onerror], [onload], script:not([src]), [href^="javascript:"]\')].map((one) => one.outerHTML)';
/** The script that checks agents, once it is loaded. */
const CHECK = 'performance.getEntriesByType("resource").find(({ name }) => name.includes("check-document"))?.name';
/** All text that a page shows. */
const SHOWN =
  'document.body.innerText + [...document.querySelectorAll("input, textarea, [title]")].map((one) => one.value + one.title).join(" ")';
/** The pages of the navigation. */
const LINKED = '[...document.querySelectorAll(\'nav a[href*="#/"]\')].map((one) => one.hash.slice(1))';
const TRIES_MAX = 50;
const TRY_INTERVAL_MS = 100;
/** Opens what a page hides: pressing a summary or a toggle shows more texts. */
const UNFOLD =
  "document.querySelectorAll('details').forEach((one) => { one.open = true; }); " +
  "document.querySelectorAll('[aria-expanded=false]:not([aria-haspopup])').forEach((one) => one.click())";

/** Pages that show texts of others, with the beginnings of these texts. Of a provider's error only the status is kept. */
function pagesOf({
  agentId,
  baseId,
  callId,
  headerCallId,
}: HostileWorld): readonly (readonly [path: string, texts: readonly string[]])[] {
  return [
    ['/calls', ['agent-name']],
    ['/calls?view=running', []],
    [
      `/calls/${callId}`,
      [
        'speech',
        'answer',
        'argument',
        'tool-result',
        'state-name',
        'HTTP status 500',
        'variable',
        'question "><img src=x',
        'post-call-answer "><img src=x',
      ],
    ],
    // The values of variables are shown as JSON.
    [`/calls/${headerCallId}`, ['user-agent \\"><img src=x', 'subject \\"><img src=x']],
    ['/agents', ['agent-name']],
    ['/agents/new', []],
    [`/agents/${agentId}`, ['agent-name', 'state-name', 'base-prompt']],
    ['/talk', ['agent-name']],
    ['/knowledge', ['base-name']],
    [`/knowledge/${baseId}`, ['base-name', 'source-title', '<img src=x']],
    ['/telephony', ['trunk-name', 'number-name']],
    ['/webhooks', ['webhook-url']],
    ['/keys', ['key-name']],
    ['/audit-log', ['key-name']],
    ['/settings', []],
    ['/checks', []],
  ];
}

/** Those texts that the page does not show within some seconds. */
async function missingOf(page: Page, texts: readonly string[]): Promise<readonly string[]> {
  for (let tries = 0; ; tries += 1) {
    await page.evaluate(UNFOLD);
    const shown = String(await page.evaluate(SHOWN));
    const missing = texts.filter((text) => !shown.includes(text));
    if (missing.length === 0 || tries === TRIES_MAX) return missing;
    await page.waitForTimeout(TRY_INTERVAL_MS);
  }
}

/** Hostile texts in the console. Part of `console.test.ts`: two test files would build the console at the same time. */
export function describeHostileTexts(): void {
  describe.skipIf(!hasPeer('chromium'))('the console in a hostile world', () => {
    let world: HostileWorld;
    let browser: ConsoleBrowser;

    beforeAll(async () => {
      world = await startHostileWorld();
      browser = await startConsoleBrowser(world.test.service.httpUrl);
    });
    afterAll(async () => {
      await browser?.close();
      await world?.close();
    });

    async function signedIn() {
      const opened = await browser.open({ beforeScripts: KEEP_VIOLATIONS });
      await signIn(opened.page, TEST_API_KEY);
      return opened;
    }

    async function goTo(page: Page, path: string): Promise<void> {
      await page.evaluate(`location.hash = ${JSON.stringify(path)}`);
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      await page.waitForLoadState('networkidle');
    }

    it('runs no script of a name, a speaker, a model, a tool, a header or a file, on any page', async () => {
      const { page, complaints } = await signedIn();
      const faults: string[] = [];
      const linked = (await page.evaluate(LINKED)) as string[];
      const known = pagesOf(world);
      const others = linked.filter((path) => !known.some(([one]) => one === path));
      for (const [path, texts] of [...known, ...others.map((one) => [one, []] as const)]) {
        await goTo(page, path);
        const missing = await missingOf(page, texts);
        if (missing.length > 0) faults.push(`${path} does not show ${missing.join(', ')}`);
        for (const element of (await page.evaluate(PLANTED)) as string[]) faults.push(`${path} has ${element}`);
        const intruded = await page.evaluate('window.intruded');
        if (intruded !== undefined) faults.push(`${path} ran ${String(intruded)}`);
      }
      expect(faults).toEqual([]);
      // The check of an agent brings the library that it checks with.
      await goTo(page, `/agents/${world.agentId}`);
      await expect.poll(() => page.evaluate(CHECK)).toBeDefined();
      await page.evaluate(`import(${CHECK}).then(() => {})`);
      expect(await page.evaluate('window.violations')).toEqual([]);
      expect(complaints).toEqual([]);
    });

    it('refuses URLs of scripts where it keeps URLs', async () => {
      const { api } = world.test;
      const lookup = { lookup_webhook_url: 'javascript:window.intruded=1', number: '+4930111111' };
      expect((await api.send('POST', '/v1/phone-numbers', lookup)).status).toBe(422);
      const agent = { name: 'x', states: [{ name: 's', prompt: 'p' }], initial_state_name: 's' };
      expect((await api.send('POST', '/v1/agents', { ...agent, webhook_url: 'javascript:alert(1)' })).status).toBe(422);
    });

    it('sends the key in a header alone: in no URL, no cookie, no log, and not to another origin', async () => {
      const { page } = await browser.open();
      const urls: string[] = [];
      page.on('request', (request) => urls.push(`${request.url()} ${request.headers().referer ?? ''}`));
      await signIn(page, TEST_API_KEY);
      for (const [path] of pagesOf(world)) await goTo(page, path);
      expect(urls.length).toBeGreaterThan(10);
      expect(urls.filter((url) => url.includes(TEST_API_KEY))).toEqual([]);
      const { origin } = new URL(world.test.service.httpUrl);
      expect(urls.filter((url) => /^https?:/.test(url) && !url.startsWith(origin))).toEqual([]);
      expect(await page.context().cookies()).toEqual([]);
      expect(page.url()).not.toContain(TEST_API_KEY);
      expect(world.test.log()).not.toContain(TEST_API_KEY);
    });

    it('is framed by no other page, and answers no request of one, also while a user is signed in', async () => {
      const { httpUrl } = world.test.service;
      const attacker = createServer((_request, response) => {
        response.setHeader('content-type', 'text/html');
        response.end(`<iframe id="frame" src="${httpUrl}/console/"></iframe>`);
      });
      await new Promise<void>((resolve) => attacker.listen(0, '127.0.0.1', resolve));
      const { page } = await signedIn();
      const other = await page.context().newPage();
      await other.goto(`http://localhost:${(attacker.address() as AddressInfo).port}/`, { waitUntil: 'networkidle' });
      const [frame] = other.frames().filter((one) => one !== other.mainFrame());
      expect(await frame?.locator('#root').count()).toBe(0);
      const asked = (options: string) =>
        other.evaluate(
          `fetch('${httpUrl}/v1/api-keys', ${options}).then(({ type, status }) => type + ' ' + status, (error) => error.name)`,
        );
      expect(await asked("{ credentials: 'include' }")).toBe('TypeError');
      expect(await asked(`{ headers: { 'x-api-key': '${TEST_API_KEY}' } }`)).toBe('TypeError');
      const keys = async () => JSON.stringify((await world.test.api.send('GET', '/v1/api-keys')).data);
      const before = await keys();
      const form =
        "{ method: 'POST', mode: 'no-cors', credentials: 'include', body: JSON.stringify({ name: 'stolen' }) }";
      expect(await asked(form)).toBe('opaque 0');
      expect(await keys()).toBe(before);
      await new Promise((resolve) => attacker.close(resolve));
    });

    it('forgets a key when its tab is closed, and in every other tab it was never known', async () => {
      const { page } = await signedIn();
      const context = page.context();
      const other = await context.newPage();
      await other.goto(`${world.test.service.httpUrl}/console/`);
      await other.getByLabel('API key').waitFor();
      await page.close();
      expect(JSON.stringify(await context.storageState())).not.toContain(TEST_API_KEY);
    });
  });
}
