import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { hasPeer } from '../../peers/peer-process.ts';
import { textAnswer } from '../../providers/openai/chat-script.ts';
import { type EmulatedProviders, startEmulatedProviders } from '../../service/rig/emulated-providers.ts';
import { TEST_API_KEY } from '../../service/rig/service-process.ts';
import { talker } from '../../service/rig/staged-call.ts';
import { startTestService, type TestService } from '../../service/rig/test-service.ts';
import { type ConsoleBrowser, faultsOfPage, signIn, startConsoleBrowser } from './console-browser.ts';

/** Would set `window.intruded` if the page took it for HTML. */
const SCRIPT_IN_SPEECH = '<img src=x onerror="window.intruded=1">';
const ANSWER = 'We are open until nine.';
const FILE = `model: script
conversations:
  - name: greets ${SCRIPT_IN_SPEECH}
    turns:
      - expect: [{ text: Good day }]
      - user: ${SCRIPT_IN_SPEECH}
        model: ["${ANSWER}"]
        expect: [{ text: open until nine }]
  - name: closes early
    turns:
      - user: Are you open at eight?
        model: ["${ANSWER}"]
        expect: [{ text: we are closed }]
`;
const FAULTY = FILE.replace('expect: [{ text: Good day }]', 'expects: [{ text: Good day }]');
const ASKS_MODEL =
  'conversations: [{ name: asks the model, turns: [{ user: Hello, expect: [{ text: open until }] }] }]';
const anything = z.looseObject({ id: z.string() });

/** Test files beside the agent. The console is built. */
export function describeAgentTests(): void {
  describe.skipIf(!hasPeer('chromium'))('the tests of an agent in the console', () => {
    let providers: EmulatedProviders;
    let test: TestService;
    let browser: ConsoleBrowser;

    beforeAll(async () => {
      providers = await startEmulatedProviders({ chat: () => textAnswer(ANSWER) });
      test = await startTestService(providers.environment);
      browser = await startConsoleBrowser(test.service.httpUrl);
    });
    afterAll(async () => {
      await browser?.close();
      await test?.close();
      await providers?.close();
    });

    async function openTests(version = '') {
      const { id } = await test.api.createAgent(talker({ name: 'Desk', initial_message: 'Good day.' }));
      await test.api.requestOk(anything, 'PATCH', `/v1/agents/${id}?publish=false`, { initial_message: 'Welcome.' });
      const opened = await browser.open();
      await signIn(opened.page, TEST_API_KEY);
      await opened.page.evaluate(`location.hash = '/agents/${id}${version}'`);
      // By keyboard alone.
      await opened.page.getByRole('button', { name: 'Tests' }).focus();
      await opened.page.keyboard.press('Enter');
      const tests = opened.page.getByRole('region', { name: 'Tests' });
      const editor = tests.getByRole('textbox', { name: 'Test file' });
      const run = async () => {
        await tests.getByRole('button', { name: 'Run tests' }).focus();
        await opened.page.keyboard.press('Enter');
      };
      return { ...opened, tests, editor, run, id };
    }

    it('run the example that the page offers, and a file with its results beside it', async () => {
      const { page, complaints, editor, run, tests } = await openTests();
      await run();
      await tests.getByText('Version 1: 1 passed, 0 failed').waitFor();
      await editor.fill(FILE);
      await run();
      await tests.getByText('Version 1: 1 passed, 1 failed').waitFor();
      const results = tests.getByRole('list', { name: 'Results' });
      // The failed conversation is open: its claim, and what was said instead.
      await results.getByText('turn 1, user: Are you open at eight?').waitFor();
      await results.getByText('expected text "we are closed"').waitFor();
      await results.getByText(ANSWER).last().waitFor();
      expect(await faultsOfPage(page, 'agent-tests')).toEqual([]);
      await results.getByText(ANSWER).last().scrollIntoViewIfNeeded();
      expect(await faultsOfPage(page, 'agent-tests-results')).toEqual([]);
      await results.getByText(`greets ${SCRIPT_IN_SPEECH}`).click();
      await results.getByText(SCRIPT_IN_SPEECH, { exact: true }).waitFor();
      expect(await page.evaluate('window.intruded')).toBeUndefined();
      expect(complaints).toEqual([]);
    });

    it('run against the draft that the page shows', async () => {
      const { editor, run, tests } = await openTests('?version=2');
      await editor.fill(FILE);
      await run();
      await tests.getByText('Version 2: 0 passed, 2 failed').waitFor();
      await tests.getByText('expected text "Good day"').waitFor();
    });

    it('ask the language model of the agent where the file has no script', async () => {
      const { editor, run, tests } = await openTests();
      await editor.fill(ASKS_MODEL);
      await run();
      await tests.getByText('Version 1: 1 passed, 0 failed').waitFor();
    });

    it('are not run if the file has a fault, which is marked in its line', async () => {
      const { page, complaints, editor, run, tests } = await openTests();
      await editor.fill(FAULTY);
      await run();
      await tests.getByText('Line 5, column 9:').waitFor();
      await tests.getByText('conversations[0].turns[0].expects').waitFor();
      await tests.locator('.cm-lint-marker-error').waitFor();
      expect(await faultsOfPage(page, 'agent-tests-fault')).toEqual([]);
      for (const [language, title] of [
        ['de', 'Tests starten'],
        ['fr', 'Lancer les tests'],
        ['es', 'Ejecutar pruebas'],
        ['en', 'Run tests'],
      ] as const) {
        await page.locator('.preferences select').last().selectOption(language);
        await page.getByRole('button', { name: title }).waitFor();
      }
      expect(complaints).toEqual([]);
    });

    it('open a file of the disk and save the edited one', async () => {
      const { page, editor, tests } = await openTests();
      const file = { name: 'desk.test.yaml', mimeType: 'application/yaml', buffer: Buffer.from(ASKS_MODEL) };
      await tests.getByLabel('Open file').setInputFiles(file);
      await editor.getByText('asks the model').waitFor();
      const saved = page.waitForEvent('download');
      await tests.getByRole('button', { name: 'Save file' }).click();
      expect((await saved).suggestedFilename()).toBe('agent.test.yaml');
    });
  });
}
