import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ProviderKind } from '../../../adapters/registry/provider.ts';
import { createRegistry, type Registry } from '../../../adapters/registry/provider-registry.ts';
import { readSpeech } from '../../rtp-peer/speech-file.ts';
import { dialIn, talker } from '../rig/staged-call.ts';
import { startTestService, type TestService } from '../rig/test-service.ts';
import { answerOf, DYING, type ProviderBed, QUESTION, startProviderBed } from './provider-bed.ts';

/** Calls at once. Each has its caller and providers in this process: with more, they would wait for each other. */
const AT_ONCE = 18;
/** Queued through the API, after the answer. */
const LAST_WORDS = 'That was all.';
const PRICES = join(tmpdir(), `trunkline-prices-${process.pid}.yaml`);

interface Part {
  readonly provider: string;
  readonly name?: string;
  readonly model?: string;
}

/** Every adapter. An adapter with two implementations appears with a model or voice for each. */
const TRANSCRIBERS: readonly Part[] = [
  { provider: 'deepgram', model: 'nova-3' },
  { provider: 'deepgram', model: 'flux-general-en' },
  { provider: 'openai', model: 'gpt-live-transcribe' },
  { provider: 'openai-compatible', model: 'whisper-1' },
  { provider: 'elevenlabs', model: 'scribe_v2_realtime' },
];
const MODELS: readonly Part[] = [
  { provider: 'openai', model: 'gpt-4.1-mini' },
  { provider: 'openai-responses', model: 'gpt-4.1-mini' },
  { provider: 'anthropic', model: 'claude-haiku-4-5' },
];
/** One adapter for many providers: each of them stands for all. */
const COMPATIBLE_MODELS: readonly Part[] = [
  { provider: 'gemini', model: 'gemini-2.5-flash' },
  { provider: 'groq', model: 'llama-3.3-70b' },
  { provider: 'mistral', model: 'mistral-small' },
  { provider: 'together', model: 'llama-3.3-70b' },
  { provider: 'azure', model: 'deployment' },
  { provider: 'ollama', model: 'llama3' },
  { provider: 'vllm', model: 'llama3' },
  { provider: 'llamacpp', model: 'llama3' },
  { provider: 'openai-compatible', model: 'llama3' },
];
const VOICES: readonly Part[] = [
  { provider: 'deepgram', name: 'aura-2-thalia-en' },
  { provider: 'deepgram', name: 'flux-haley-en' },
  { provider: 'openai', name: 'marin' },
  { provider: 'openai-compatible', name: 'af_heart' },
  { provider: 'elevenlabs', name: 'someone' },
  { provider: 'cartesia', name: 'someone' },
  { provider: 'espeak', name: 'default' },
];

interface Course {
  /** Names the call in the agent's speech. Letters only, which no voice normalises. */
  readonly word: string;
  readonly transcriber: Part;
  readonly llm: Part;
  readonly voice: Part;
  readonly fallbacks?: { readonly transcriber?: Part[]; readonly llm?: Part[]; readonly voice?: Part[] };
}

/** Of letters, such as `vabq`. */
function wordOf(kind: string, nth: number): string {
  return `${kind}${String.fromCharCode(97 + Math.floor(nth / 26), 97 + (nth % 26))}q`;
}

/**
 * Every pair of providers of different kinds meets in a call: all transcribers with all voices, models along the
 * diagonals.
 */
function pairwise(): Course[] {
  let compatible = 0;
  return VOICES.flatMap((voice, v) =>
    TRANSCRIBERS.map((transcriber, t) => {
      const own = MODELS[(v + t + 1) % (MODELS.length + 1)];
      const llm = own ?? COMPATIBLE_MODELS[compatible++ % COMPATIBLE_MODELS.length] ?? { provider: 'none' };
      return { word: wordOf('p', v * TRANSCRIBERS.length + t), transcriber, llm, voice };
    }),
  );
}

const [NOVA = { provider: '' }] = TRANSCRIBERS;
const [CHAT = { provider: '' }] = MODELS;
const [AURA = { provider: '' }, , OPENAI_VOICE = { provider: '' }] = VOICES;
const HEALTHY = { transcriber: NOVA, llm: CHAT, voice: AURA };

/** In each a provider fails during its work, and a fallback follows. */
const DEATHS: readonly (Course & { readonly dies: string })[] = [
  ...TRANSCRIBERS.map((transcriber, nth) => ({
    ...HEALTHY,
    dies: `transcriber ${transcriber.provider} ${transcriber.model}`,
    word: wordOf('e', nth),
    transcriber: { ...transcriber, model: `${transcriber.model}-${DYING}` },
    fallbacks: { transcriber: [NOVA] },
  })),
  ...[...MODELS, ...COMPATIBLE_MODELS].map((llm, nth) => ({
    ...HEALTHY,
    dies: `model ${llm.provider}`,
    word: wordOf('m', nth),
    llm: { ...llm, model: `${llm.model}-${DYING}` },
    fallbacks: { llm: [CHAT] },
  })),
  ...VOICES.map((voice, nth) => ({
    ...HEALTHY,
    dies: `voice ${voice.provider} ${voice.name}`,
    word: wordOf(voice.name?.startsWith('flux') ? 'flux' : 't', nth),
    voice,
    fallbacks: { voice: [voice.provider === 'deepgram' ? OPENAI_VOICE : AURA] },
  })),
];

/** The word that makes each voice fail. */
function brokenBy(): ReadonlyMap<string, string> {
  const voices = DEATHS.filter(({ dies }) => dies.startsWith('voice'));
  return new Map(
    voices.map(({ voice, word }) => [voice.name?.startsWith('flux') ? 'deepgram flux' : voice.provider, word]),
  );
}

describe('every provider of the registry', () => {
  let bed: ProviderBed;
  let test: TestService;
  let audio: Int16Array;

  beforeAll(async () => {
    audio = await readSpeech(join(import.meta.dirname, '../../../fixtures/speech/yes-man.wav'));
    bed = await startProviderBed(brokenBy());
    await writeFile(PRICES, 'voice: [{ provider: deepgram, model: aura-2, per_million_characters: 1000000 }]');
    test = await startTestService({
      ...bed.environment,
      PRICES_FILE: PRICES,
    });
  });
  afterAll(async () => {
    await test.close();
    await bed.close();
    await rm(PRICES, { force: true });
  });

  /** One question and its whole answer; resolves with the call after its end. */
  async function hold({ fallbacks = {}, llm, transcriber, voice, word }: Course) {
    const agent = await test.api.createAgent(
      talker({
        initial_message: '',
        base_prompt: `call-of-${word}`,
        record_tape: false,
        recording: false,
        transcriber,
        llm,
        voice,
        fallbacks,
      }),
    );
    const { callId, report, said } = await dialIn(test, agent.id, { audio });
    // Queued speech is spoken after everything else.
    const isOver = said(answerOf(word))
      .then(() => test.api.send('POST', `/v1/calls/${callId}/say`, { text: LAST_WORDS }))
      .then(() => said(LAST_WORDS))
      .catch(() => undefined);
    await Promise.race([isOver, report]);
    await test.api.send('POST', `/v1/calls/${callId}/terminate`);
    await report;
    const ended = await test.api.callIn(callId, ['completed']);
    const { cost, metrics } = ended;
    const lines = ended.transcript?.filter(({ role }) => role === 'agent' || role === 'user') ?? [];
    return {
      cost,
      metrics,
      outcome: { reason: ended.end_reason, lines: lines.map(({ content, role }) => `${role}: ${content}`) },
    };
  }

  async function holdAll<One extends Course>(courses: readonly One[], nameOf: (course: One) => string) {
    const held: (readonly [string, object])[] = [];
    const waiting = courses.values();
    const holdOn = async () => {
      for (const course of waiting) held.push([nameOf(course), (await hold(course)).outcome]);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, holdOn));
    const expected = courses.map((course) => [
      nameOf(course),
      { reason: 'terminated', lines: [`user: ${QUESTION}`, `agent: ${answerOf(course.word)}`, `agent: ${LAST_WORDS}`] },
    ]);
    expect(Object.fromEntries(held)).toEqual(Object.fromEntries(expected));
  }

  const nameOf = ({ provider, model, name }: Part) => `${provider} ${name ?? model}`;

  it('is listed in this test, combined with all of the other kinds', () => {
    const registry: Registry = createRegistry(bed.environment);
    const named = (kind: ProviderKind) =>
      registry.providers.filter(({ kinds }) => kinds.includes(kind)).map(({ name }) => name);
    const listed = (parts: readonly Part[]) => [...new Set(parts.map(({ provider }) => provider))];
    expect(listed(TRANSCRIBERS).sort()).toEqual(named('transcriber').sort());
    expect(listed([...MODELS, ...COMPATIBLE_MODELS]).sort()).toEqual(named('languageModel').sort());
    expect(listed(VOICES).sort()).toEqual(named('voice').sort());

    const courses = pairwise();
    const kindOf = (llm: Part) => (MODELS.includes(llm) ? llm.provider : 'compatible');
    const count = (pairs: readonly string[]) => new Set(pairs).size;
    expect(count(courses.map(({ transcriber, voice }) => `${nameOf(transcriber)}/${nameOf(voice)}`))).toBe(5 * 7);
    expect(count(courses.map(({ llm, voice }) => `${kindOf(llm)}/${nameOf(voice)}`))).toBe(4 * 7);
    expect(count(courses.map(({ llm, transcriber }) => `${kindOf(llm)}/${nameOf(transcriber)}`))).toBe(4 * 5);
    for (const llm of COMPATIBLE_MODELS) expect(courses.map((course) => course.llm)).toContain(llm);
    return registry.close();
  });

  it('holds a whole call with each provider of the other kinds', async () => {
    await holdAll(pairwise(), ({ llm, transcriber, voice }) => [transcriber, llm, voice].map(nameOf).join(' + '));
  });

  it('is named in the usage and in the cost of its call', async () => {
    const word = wordOf('u', 0);
    const { cost, metrics } = await hold({ ...HEALTHY, word });
    const spoken = answerOf(word).length + LAST_WORDS.length;
    expect(metrics).toMatchObject({
      providers: expect.arrayContaining([
        { kind: 'transcriber', provider: 'deepgram', model: 'nova-3', audio_seconds: expect.any(Number) },
        expect.objectContaining({ kind: 'llm', provider: 'openai', model: 'gpt-4.1-mini', input_tokens: 10 }),
        { kind: 'voice', provider: 'deepgram', model: 'aura-2-thalia-en', characters: spoken },
      ]),
      cost: { telephony: 0, transcriber: 0, llm: 0, voice: spoken, total: spoken },
    });
    expect(cost).toBe(spoken);
  });

  it('may fail during a call: its fallback continues, loses no user speech and repeats no agent speech', async () => {
    await holdAll(DEATHS, ({ dies }) => dies);
    for (const { dies, fallbacks, word } of DEATHS.filter(({ fallbacks }) => fallbacks?.voice !== undefined)) {
      const [next] = fallbacks?.voice ?? [];
      const texts = bed.textsOf(next === OPENAI_VOICE ? 'openai' : 'deepgram').filter((text) => text.includes(word));
      // The user has heard the beginning, so the fallback voice speaks only the rest.
      expect(texts, dies).toHaveLength(1);
      expect(answerOf(word).endsWith(texts[0] ?? ''), `${dies}: ${texts[0]}`).toBe(true);
      expect(texts[0], dies).not.toBe(answerOf(word));
    }
  });

  it('leaves its key in no log line, whatever fails', () => {
    const log = test.log();
    expect(log).toContain('the transcriber failed');
    expect(log).toContain('the voice failed');
    const keys = Object.entries(bed.environment).filter(([name]) => name.endsWith('_API_KEY'));
    expect(keys.filter(([, key]) => log.includes(key))).toEqual([]);
  });
});
