import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeWav } from '../../../base/audio/wav.ts';
import { hasPeer } from '../../peers/peer-process.ts';
import { textAnswer } from '../../providers/openai/chat-script.ts';
import { EMULATED_VOICE_HZ } from '../../providers/speech/tone-speech.ts';
import { makeTone, measureTone, rootMeanSquare } from '../../rtp-peer/tone.ts';
import { type EmulatedProviders, heardLine, startEmulatedProviders } from '../../service/rig/emulated-providers.ts';
import { TEST_API_KEY } from '../../service/rig/service-process.ts';
import { talker } from '../../service/rig/staged-call.ts';
import { startTestService, type TestService } from '../../service/rig/test-service.ts';
import { createWebCall } from '../../service/rig/web-caller.ts';
import { type BreakableProxy, startBreakableProxy } from './breakable-proxy.ts';
import { type ConsoleBrowser, faultsOfPage, signIn, startConsoleBrowser } from './console-browser.ts';

const MICROPHONE_HZ = 700;
const RATE_HZ = 16_000;
const SPOKEN = 'Who are you?';
/** It would set `window.intruded` if a page took it for HTML. */
const SCRIPT_IN_ANSWER = '<img src=x onerror="window.intruded=1"> I am the agent. What can I do for you today?';

/** The page's analysers in order of creation: the user's and the agent's. */
const KEEP_ANALYSERS = `
  window.analysers = [];
  const create = AudioContext.prototype.createAnalyser;
  AudioContext.prototype.createAnalyser = function () {
    const analyser = create.call(this);
    window.analysers.push(analyser);
    return analyser;
  };`;
/** Keeps the streams of the microphone. While `window.isHeld`, a stream is handed out by `window.release()`. */
const KEEP_MICROPHONES = `
  window.microphones = [];
  const open = MediaDevices.prototype.getUserMedia;
  MediaDevices.prototype.getUserMedia = async function (constraints) {
    const stream = await open.call(this, constraints);
    window.microphones.push(stream);
    if (window.isHeld) await new Promise((resolve) => { window.release = resolve; });
    return stream;
  };`;
/** Whether each of the microphones that were opened is live or ended. */
const MICROPHONES = 'window.microphones.flatMap((stream) => stream.getTracks()).map(({ readyState }) => readyState)';
/** The loudest frequency of the agent's audio, in Hz; 0 while it is quiet. */
const AGENT_HZ = `(() => {
  const analyser = window.analysers[1];
  if (analyser === undefined) return 0;
  analyser.fftSize = 4096;
  const levels = new Float32Array(analyser.frequencyBinCount);
  analyser.getFloatFrequencyData(levels);
  const loudest = levels.indexOf(Math.max(...levels));
  return levels[loudest] > -50 ? (loudest * analyser.context.sampleRate) / analyser.fftSize : 0;
})()`;

/** Calls to agents from the browser. The console is built. */
export function describeTalkPages(): void {
  describe.skipIf(!hasPeer('chromium'))('a browser in a call with an agent', () => {
    let providers: EmulatedProviders;
    let test: TestService;
    let browser: ConsoleBrowser;
    let folder: string;
    let agentId: string;
    let proxy: BreakableProxy;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'trunkline-microphone-'));
      const microphone = join(folder, 'microphone.wav');
      // A tone with pauses, since the browser's noise cancellation would remove a continuous one. They are longer than the wait
      // for words after a sound: sounds in quick succession hold the answer back.
      const spoken = makeTone(MICROPHONE_HZ, 600, 8_000, RATE_HZ);
      const data = new Uint8Array(RATE_HZ * 2 * 4);
      data.set(new Uint8Array(spoken.buffer), RATE_HZ);
      const format = { encoding: 'linear16', sampleRateHz: RATE_HZ } as const;
      await writeFile(microphone, encodeWav({ format, channels: 1, data }));
      providers = await startEmulatedProviders({
        listen: { steps: heardLine(SPOKEN, 1_800, 2_500) },
        keepAudio: true,
        chat: () => textAnswer(SCRIPT_IN_ANSWER),
      });
      test = await startTestService(providers.environment);
      // The browser's audio processing may turn the tone into sound that would interrupt the agent.
      const agent = talker({
        name: 'Reception',
        initial_message: 'Hello, this is the reception.',
        interruptions: false,
      });
      agentId = (await test.api.createAgent(agent)).id;
      proxy = await startBreakableProxy(Number(new URL(test.service.httpUrl).port));
      browser = await startConsoleBrowser(`http://127.0.0.1:${proxy.port}`, microphone);
    });
    afterAll(async () => {
      await browser?.close();
      await proxy?.close();
      await test?.close();
      await providers?.close();
      await rm(folder, { recursive: true, force: true });
    });

    const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

    it('exchanges audio with the agent of the page, shows the transcript, and leads to the stored call', async () => {
      const { page, complaints } = await browser.open({ microphone: true, beforeScripts: KEEP_ANALYSERS });
      await signIn(page, TEST_API_KEY);
      await page.getByRole('link', { name: 'Agents', exact: true }).click();
      await page.getByRole('link', { name: 'Reception' }).click();
      await button(page, 'Talk to it').focus();
      await page.keyboard.press('Enter');
      await button(page, 'Call').focus();
      await page.keyboard.press('Enter');
      expect(Math.abs((await hearAgent(page)) - EMULATED_VOICE_HZ)).toBeLessThan(15);
      const log = page.getByRole('log', { name: 'Transcript' });
      await log.getByText(SPOKEN).waitFor();
      await log.getByText('What can I do').waitFor();
      await page.getByLabel('Microphone').selectOption({ index: 1 });
      expect(await faultsOfPage(page, 'talk')).toEqual([]);
      await button(page, 'Hang up').click();
      await page.getByText(/^You hung up\. Duration 0:\d\d\.$/).waitFor();
      await page.getByRole('link', { name: 'Open the call' }).click();
      await page.getByText('The caller hung up').waitFor();
      expect(await page.evaluate('window.intruded')).toBeUndefined();
      expect(complaints).toEqual([]);

      const heard = bytesHeard(providers);
      const loudest = loudestStretch(heard, RATE_HZ / 4);
      expect(rootMeanSquare(loudest)).toBeGreaterThan(500);
      expect(measureTone(loudest, MICROPHONE_HZ, RATE_HZ).share).toBeGreaterThan(0.8);
    });

    it('says what to do about a refused microphone, and takes what the user writes', async () => {
      const { page } = await browser.open();
      await signIn(page, TEST_API_KEY);
      await page.getByRole('link', { name: 'Talk to an agent' }).click();
      await button(page, 'Call').click();
      await page.getByRole('alert').getByText('does not allow the microphone').waitFor();
      await button(page, 'Write').click();
      await page.getByText('Connected. Write to the agent.').waitFor();
      await page.keyboard.type('Two seats, please.');
      await page.keyboard.press('Enter');
      const log = page.getByRole('log', { name: 'Transcript' });
      await log.getByText('Two seats, please.').waitFor();
      await log.getByText('What can I do').waitFor();
      expect(await faultsOfPage(page, 'talk-writing')).toEqual([]);
      await button(page, 'Hang up').click();
      await page.getByText(/^You hung up/).waitFor();
      expect(await page.evaluate('window.intruded')).toBeUndefined();
    });

    it('closes the microphone if the browser refuses the audio of the call', async () => {
      const refuse = "AudioWorklet.prototype.addModule = () => Promise.reject(new Error('no audio thread'));";
      const { page } = await browser.open({ microphone: true, beforeScripts: `${KEEP_MICROPHONES}${refuse}` });
      await signIn(page, TEST_API_KEY);
      await page.getByRole('link', { name: 'Talk to an agent' }).click();
      await button(page, 'Call').click();
      await page.getByText('no audio thread').waitFor();
      expect(await page.evaluate(MICROPHONES)).toEqual(['ended']);
    });

    it('closes a microphone that opens after the call has ended', async () => {
      const { page, complaints } = await browser.open({ microphone: true, beforeScripts: KEEP_MICROPHONES });
      await signIn(page, TEST_API_KEY);
      await page.getByRole('link', { name: 'Talk to an agent' }).click();
      await button(page, 'Call').click();
      await page.getByLabel('Microphone').waitFor();
      await page.evaluate('window.isHeld = true');
      await page.getByLabel('Microphone').selectOption({ index: 1 });
      await expect.poll(() => page.evaluate('window.release !== undefined')).toBe(true);
      await button(page, 'Hang up').click();
      await page.getByText(/^You hung up/).waitFor();
      await page.evaluate('window.release()');
      await expect.poll(() => page.evaluate(MICROPHONES)).toEqual(['ended', 'ended']);
      expect(complaints).toEqual([]);
    });

    it('joins a prepared call without a key, mutes, sends digits, and reconnects after a reset connection', async () => {
      const { media_url: url, call_id: id } = await createWebCall(test, agentId);
      const path = `/call#${new URLSearchParams({ media_url: url })}`;
      const { page } = await browser.open({ path, microphone: true, beforeScripts: KEEP_ANALYSERS });
      await button(page, 'Call').waitFor();
      expect(new URL(page.url()).hash).toBe('');
      await button(page, 'Call').click();
      await hearAgent(page);
      await button(page, 'Mute').click();
      await page.locator('[aria-pressed="true"]').waitFor();
      proxy.breakAll();
      await page.getByText('The connection was lost. Reconnecting…').waitFor();
      await page.getByText('Connected. Speak now.').waitFor();
      await button(page, 'Keypad').click();
      await button(page, '5').click();
      await page.getByRole('log', { name: 'Transcript' }).getByText('Digits: 5').waitFor();
      expect(await faultsOfPage(page, 'talk-given')).toEqual([]);
      await button(page, 'Hang up').click();
      await page.getByText(/^You hung up/).waitFor();
      expect(await button(page, 'Call').isDisabled()).toBe(true);
      const call = await test.api.callIn(id, ['completed']);
      expect(call.end_reason).toBe('caller_hangup');
    });
  });
}

/** Resolves with the loudest frequency of the agent's voice. The page refuses what playwright would poll with. */
async function hearAgent(page: Page): Promise<number> {
  await expect.poll(() => page.evaluate(AGENT_HZ), { timeout: 60_000 }).toBeGreaterThan(0);
  return Number(await page.evaluate(AGENT_HZ));
}

/** The audio that the transcriber got in the first call. */
function bytesHeard({ deepgram }: EmulatedProviders): Int16Array {
  const bytes = Buffer.concat([...(deepgram.listens[0]?.audio ?? [])]);
  return new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + (bytes.length & ~1)));
}

function loudestStretch(samples: Int16Array, length: number): Int16Array {
  let loudest = samples.subarray(0, length);
  for (let at = 0; at + length <= samples.length; at += length / 4) {
    const stretch = samples.subarray(at, at + length);
    if (rootMeanSquare(stretch) > rootMeanSquare(loudest)) loudest = stretch;
  }
  return loudest;
}
