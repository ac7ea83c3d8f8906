import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { encodeWav } from '../../base/audio/wav.ts';
import { textAnswer } from '../providers/openai/chat-script.ts';
import { EMULATED_VOICE_HZ } from '../providers/speech/tone-speech.ts';
import { makeTone, measureTone, rootMeanSquare } from '../rtp-peer/tone.ts';
import { type EmulatedProviders, heardLine, startEmulatedProviders } from '../service/rig/emulated-providers.ts';
import { TEST_API_KEY } from '../service/rig/service-process.ts';
import { talker } from '../service/rig/staged-call.ts';
import { startTestService, type TestService } from '../service/rig/test-service.ts';
import { createWebCall } from '../service/rig/web-caller.ts';
import { type BreakableProxy, startBreakableProxy } from './breakable-proxy.ts';
import { type Chromium, type Page, startChromium } from './chromium.ts';
import { hasPeer } from './peer-process.ts';

const MICROPHONE_HZ = 700;
const RATE_HZ = 16_000;
/** Folder for screenshots; without it none are taken. */
const SCREENSHOT_FOLDER = process.env.TRUNKLINE_PICTURES;

/** The page's analysers in order of creation: the user's and the agent's. */
const KEEP_ANALYSERS = `
  window.analysers = [];
  const create = AudioContext.prototype.createAnalyser;
  AudioContext.prototype.createAnalyser = function () {
    const analyser = create.call(this);
    window.analysers.push(analyser);
    return analyser;
  };`;
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

describe.skipIf(!hasPeer('chromium'))('a browser in a call with an agent', () => {
  let providers: EmulatedProviders;
  let test: TestService;
  let chromium: Chromium;
  let folder: string;
  let preparedAgentId: string;
  let proxy: BreakableProxy;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trunkline-microphone-'));
    const microphone = join(folder, 'microphone.wav');
    // A tone with pauses, since the browser's noise cancellation would remove a continuous one. They are longer than the wait
    // for words behind a sound: sounds in quick succession hold the answer back.
    const spoken = makeTone(MICROPHONE_HZ, 600, 8_000, RATE_HZ);
    const data = new Uint8Array(RATE_HZ * 2 * 4);
    data.set(new Uint8Array(spoken.buffer), RATE_HZ);
    const format = { encoding: 'linear16', sampleRateHz: RATE_HZ } as const;
    await writeFile(microphone, encodeWav({ format, channels: 1, data }));
    providers = await startEmulatedProviders({
      listen: { steps: heardLine('Who are you?', 1_800, 2_500) },
      keepAudio: true,
      chat: () => textAnswer('I am the agent. What can I do for you today?'),
    });
    test = await startTestService(providers.environment);
    // The browser's audio processing may turn the tone into sound that would interrupt the agent.
    const agent = talker({ name: 'Reception', initial_message: 'Hello, this is the reception.', interruptions: false });
    await test.api.createAgent(agent);
    preparedAgentId = (await test.api.createAgent(talker({ name: 'Given' }))).id;
    proxy = await startBreakableProxy(Number(new URL(test.service.httpUrl).port));
    chromium = await startChromium(microphone);
  });
  afterAll(async () => {
    await chromium.close();
    await proxy.close();
    await test.close();
    await providers.close();
    await rm(folder, { recursive: true, force: true });
  });

  const takeScreenshot = async (page: Page, name: string) => {
    if (SCREENSHOT_FOLDER !== undefined)
      await writeFile(join(SCREENSHOT_FOLDER, `${name}.png`), await page.screenshot());
  };
  const transcriptLines = (page: Page) =>
    page.run(`[...document.querySelectorAll('#transcript li')].map((line) => line.innerText.replace('\\n', ': '))`);
  const open = (path: string) => chromium.open(`${test.service.httpUrl}${path}`, { beforeScripts: KEEP_ANALYSERS });

  it('exchanges audio with the agent and shows the transcript', async () => {
    const page = await open('/call');
    await takeScreenshot(page, 'idle');
    await page.run(`{
      const key = document.getElementById('key');
      key.value = ${JSON.stringify(TEST_API_KEY)};
      key.dispatchEvent(new Event('input'));
    }`);
    await page.until(`!document.getElementById('agent').disabled`);
    await page.run(`{
      const agent = document.getElementById('agent');
      agent.value = [...agent.options].find(({ text }) => text === 'Reception').value;
      document.getElementById('start').click();
    }`);
    await page.until(`${AGENT_HZ} > 0`);
    expect(Math.abs(Number(await page.run(AGENT_HZ)) - EMULATED_VOICE_HZ)).toBeLessThan(15);
    await page.until(`document.getElementById('transcript').innerText.includes('What can I do')`);
    await takeScreenshot(page, 'call');
    await page.run(`document.getElementById('hangup').click()`);
    await page.until(`document.body.dataset.phase === 'ended'`);
    await takeScreenshot(page, 'ended');
    expect(await transcriptLines(page)).toEqual([
      'Agent: Hello, this is the reception.',
      'You: Who are you?',
      expect.stringContaining('Agent'),
    ]);
    expect(await page.run(`document.getElementById('status').textContent`)).toMatch(
      /^You hung up\. Duration 0:\d\d\.$/,
    );
    expect(page.complaints).toEqual([]);

    const transcription = providers.deepgram.listens.at(-1);
    const bytes = Buffer.concat([...(transcription?.audio ?? [])]);
    const heard = new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + (bytes.length & ~1)));
    const loudest = loudestStretch(heard, RATE_HZ / 4);
    expect(rootMeanSquare(loudest)).toBeGreaterThan(500);
    expect(measureTone(loudest, MICROPHONE_HZ, RATE_HZ).share).toBeGreaterThan(0.8);
    const calls = await test.api.must(z.array(z.looseObject({ id: z.string() })), 'GET', '/v1/calls?type=web_call');
    const call = await test.api.callIn(calls[0]?.id ?? '', ['completed']);
    expect(call.end_reason).toBe('caller_hangup');
  });

  it('joins a prepared call, shows interrupted text, mutes, and reconnects after a reset connection', async () => {
    const { media_url: url, call_id: id } = await createWebCall(test, preparedAgentId);
    const page = await chromium.open(`http://127.0.0.1:${proxy.port}/call#${new URLSearchParams({ media_url: url })}`, {
      beforeScripts: KEEP_ANALYSERS,
    });
    await page.send('Emulation.setDeviceMetricsOverride', {
      width: 360,
      height: 740,
      deviceScaleFactor: 2,
      mobile: true,
    });
    expect(await page.run('location.hash')).toBe('');
    await takeScreenshot(page, 'narrow-given');
    await page.run(`document.getElementById('start').click()`);
    await page.until(`${AGENT_HZ} > 0`);
    await page.until(`document.querySelector('#transcript .unspoken') !== null`);
    await page.run(`document.getElementById('mute').click()`);
    await page.run(`document.getElementById('keys').click()`);
    await page.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: 'dark' }] });
    proxy.breakAll();
    await page.until(`document.getElementById('status').textContent.includes('Reconnecting')`);
    await page.until(`document.getElementById('status').textContent === 'Connected. Speak now.'`);
    await page.run(`document.querySelectorAll('#keypad button')[4].click()`);
    await page.until(`document.getElementById('transcript').innerText.includes('Digits: 5')`);
    await takeScreenshot(page, 'narrow-dark');
    await page.run(`document.getElementById('hangup').click()`);
    await page.until(`document.body.dataset.phase === 'ended'`);
    await takeScreenshot(page, 'narrow-ended');
    const call = await test.api.callIn(id, ['completed']);
    expect(call.end_reason).toBe('caller_hangup');
    expect(call.transcript?.[0]).toMatchObject({ role: 'agent', interrupted: true });
  });

  it('shows the reason for a refused API key', async () => {
    const page = await open('/call');
    await page.run(`{
      const key = document.getElementById('key');
      key.value = 'x'.repeat(40);
      key.dispatchEvent(new Event('input'));
    }`);
    await page.until(`document.body.dataset.fault === 'true'`);
    expect(await page.run(`document.getElementById('status').textContent`)).toContain('unknown or revoked');
    await takeScreenshot(page, 'fault');
  });
});

function loudestStretch(samples: Int16Array, length: number): Int16Array {
  let loudest = samples.subarray(0, length);
  for (let at = 0; at + length <= samples.length; at += length / 4) {
    const stretch = samples.subarray(at, at + length);
    if (rootMeanSquare(stretch) > rootMeanSquare(loudest)) loudest = stretch;
  }
  return loudest;
}
