import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ProviderKind } from '../../../adapters/registry/provider.ts';
import { createRegistry, type Registry } from '../../../adapters/registry/provider-registry.ts';
import { languagePack } from '../../../engine/languages/language-packs.ts';
import { readSpeech } from '../../rtp-peer/speech-file.ts';
import { dialIn, talker } from '../rig/staged-call.ts';
import { startTestService, type TestService } from '../rig/test-service.ts';
import { answerOf, DYING, type ProviderBed, QUESTION, startProviderBed } from './provider-bed.ts';

/**
 * Concurrent calls. Their callers, their providers and the service share this process: on a busy machine with more calls, the audio
 * and the answers come later than the limits of a call allow.
 */
const CONCURRENT_CALLS = 7;
/** Queued speech, requested after the answer. */
const LAST_WORDS = 'That was all.';
const PRICES = join(tmpdir(), `trunkline-prices-${process.pid}.yaml`);

interface ProviderChoice {
  readonly provider: string;
  readonly name?: string;
  readonly model?: string;
}

/** Every adapter. An adapter with two implementations appears with a model or voice for each. */
const TRANSCRIBERS: readonly ProviderChoice[] = [
  { provider: 'deepgram', model: 'nova-3' },
  { provider: 'deepgram', model: 'flux-general-en' },
  { provider: 'openai', model: 'gpt-live-transcribe' },
  { provider: 'openai-compatible', model: 'whisper-1' },
  { provider: 'elevenlabs', model: 'scribe_v2_realtime' },
];
const MODELS: readonly ProviderChoice[] = [
  { provider: 'openai', model: 'gpt-4.1-mini' },
  { provider: 'openai-responses', model: 'gpt-4.1-mini' },
  { provider: 'anthropic', model: 'claude-haiku-4-5' },
];
/** These providers share one adapter, so each combination needs only one of them. */
const COMPATIBLE_MODELS: readonly ProviderChoice[] = [
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
const VOICES: readonly ProviderChoice[] = [
  { provider: 'deepgram', name: 'aura-2-thalia-en' },
  { provider: 'deepgram', name: 'flux-haley-en' },
  { provider: 'openai', name: 'marin' },
  { provider: 'openai-compatible', name: 'af_heart' },
  { provider: 'elevenlabs', name: 'someone' },
  { provider: 'cartesia', name: 'someone' },
  { provider: 'espeak', name: 'default' },
];

interface CallPlan {
  /** Identifies the call in the agent's speech. Only letters: no voice normalises them. */
  readonly word: string;
  readonly transcriber: ProviderChoice;
  readonly llm: ProviderChoice;
  readonly voice: ProviderChoice;
  readonly fallbacks?: {
    readonly transcriber?: ProviderChoice[];
    readonly llm?: ProviderChoice[];
    readonly voice?: ProviderChoice[];
  };
}

/** A word of letters, for example `vabq`. */
function wordOf(kind: string, nth: number): string {
  return `${kind}${String.fromCharCode(97 + Math.floor(nth / 26), 97 + (nth % 26))}q`;
}

/**
 * Plans in which every pair of providers of different kinds meets: all transcribers with all voices, and models along the
 * diagonals.
 */
function pairwise(): CallPlan[] {
  let compatible = 0;
  return VOICES.flatMap((voice, v) =>
    TRANSCRIBERS.map((transcriber, t) => {
      const dedicated = MODELS[(v + t + 1) % (MODELS.length + 1)];
      const llm = dedicated ?? COMPATIBLE_MODELS[compatible++ % COMPATIBLE_MODELS.length] ?? { provider: 'none' };
      return { word: wordOf('p', v * TRANSCRIBERS.length + t), transcriber, llm, voice };
    }),
  );
}

const [NOVA = { provider: '' }] = TRANSCRIBERS;
const [CHAT = { provider: '' }] = MODELS;
const [AURA = { provider: '' }, , OPENAI_VOICE = { provider: '' }] = VOICES;
const HEALTHY = { transcriber: NOVA, llm: CHAT, voice: AURA };

type FailurePlan = CallPlan & { readonly failing: string };

/** In each plan one provider fails during the call, and its fallback continues. */
const FAILURES: Readonly<Record<'transcriber' | 'model' | 'voice', readonly FailurePlan[]>> = {
  transcriber: TRANSCRIBERS.map((transcriber, nth) => ({
    ...HEALTHY,
    failing: `transcriber ${transcriber.provider} ${transcriber.model}`,
    word: wordOf('e', nth),
    transcriber: { ...transcriber, model: `${transcriber.model}-${DYING}` },
    fallbacks: { transcriber: [NOVA] },
  })),
  model: [...MODELS, ...COMPATIBLE_MODELS].map((llm, nth) => ({
    ...HEALTHY,
    failing: `model ${llm.provider}`,
    word: wordOf('m', nth),
    llm: { ...llm, model: `${llm.model}-${DYING}` },
    fallbacks: { llm: [CHAT] },
  })),
  voice: VOICES.map((voice, nth) => ({
    ...HEALTHY,
    failing: `voice ${voice.provider} ${voice.name}`,
    word: wordOf(voice.name?.startsWith('flux') ? 'flux' : 't', nth),
    voice,
    fallbacks: { voice: [voice.provider === 'deepgram' ? OPENAI_VOICE : AURA] },
  })),
};

/** The word that makes each voice fail. */
function failingWords(): ReadonlyMap<string, string> {
  return new Map(
    FAILURES.voice.map(({ voice, word }) => [voice.name?.startsWith('flux') ? 'deepgram flux' : voice.provider, word]),
  );
}

/** Said while a reply is late, as on a busy machine. */
const WAITING_WORDS = languagePack('en').thinkingFiller;

describe('every provider of the registry', () => {
  let bed: ProviderBed;
  let test: TestService;
  let audio: Int16Array;

  beforeAll(async () => {
    audio = await readSpeech(join(import.meta.dirname, '../../../fixtures/speech/yes-man.wav'));
    bed = await startProviderBed(failingWords());
    await writeFile(PRICES, 'voice: [{ provider: deepgram, model: aura-2, per_million_characters: 1000000 }]');
    test = await startTestService({
      ...bed.environment,
      PRICES_FILE: PRICES,
    });
  });
  afterAll(async () => {
    await test?.close();
    await bed?.close();
    await rm(PRICES, { force: true });
  });

  /** Runs a call with one question and its complete answer. Resolves with the result after its end. */
  async function runCall({ fallbacks = {}, llm, transcriber, voice, word }: CallPlan) {
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
    const lastWordsSaid = said(answerOf(word))
      .then(() => test.api.send('POST', `/v1/calls/${callId}/say`, { text: LAST_WORDS }))
      .then(() => said(LAST_WORDS))
      .catch(() => undefined);
    await Promise.race([lastWordsSaid, report]);
    await test.api.send('POST', `/v1/calls/${callId}/terminate`);
    await report;
    const ended = await test.api.callIn(callId, ['completed']);
    const { cost, metrics } = ended;
    const spoken = ended.transcript?.filter(({ role }) => role === 'agent' || role === 'user') ?? [];
    const lines = spoken.filter(({ content }) => content !== WAITING_WORDS);
    return {
      cost,
      metrics,
      outcome: { reason: ended.end_reason, lines: lines.map(({ content, role }) => `${role}: ${content}`) },
    };
  }

  async function runAll<Plan extends CallPlan>(plans: readonly Plan[], nameOf: (plan: Plan) => string) {
    const outcomes: (readonly [string, object])[] = [];
    const remaining = plans.values();
    const runRemaining = async () => {
      for (const plan of remaining) outcomes.push([nameOf(plan), (await runCall(plan)).outcome]);
    };
    await Promise.all(Array.from({ length: CONCURRENT_CALLS }, runRemaining));
    const expected = plans.map((plan) => [
      nameOf(plan),
      { reason: 'terminated', lines: [`user: ${QUESTION}`, `agent: ${answerOf(plan.word)}`, `agent: ${LAST_WORDS}`] },
    ]);
    expect(Object.fromEntries(outcomes)).toEqual(Object.fromEntries(expected));
  }

  const nameOf = ({ provider, model, name }: ProviderChoice) => `${provider} ${name ?? model}`;

  it('is listed in this test and combined with all providers of other kinds', () => {
    const registry: Registry = createRegistry(bed.environment);
    const registered = (kind: ProviderKind) =>
      registry.providers.filter(({ kinds }) => kinds.includes(kind)).map(({ name }) => name);
    const listed = (choices: readonly ProviderChoice[]) => [...new Set(choices.map(({ provider }) => provider))];
    expect(listed(TRANSCRIBERS).sort()).toEqual(registered('transcriber').sort());
    expect(listed([...MODELS, ...COMPATIBLE_MODELS]).sort()).toEqual(registered('languageModel').sort());
    expect(listed(VOICES).sort()).toEqual(registered('voice').sort());

    const plans = pairwise();
    const kindOf = (llm: ProviderChoice) => (MODELS.includes(llm) ? llm.provider : 'compatible');
    const count = (pairs: readonly string[]) => new Set(pairs).size;
    expect(count(plans.map(({ transcriber, voice }) => `${nameOf(transcriber)}/${nameOf(voice)}`))).toBe(5 * 7);
    expect(count(plans.map(({ llm, voice }) => `${kindOf(llm)}/${nameOf(voice)}`))).toBe(4 * 7);
    expect(count(plans.map(({ llm, transcriber }) => `${kindOf(llm)}/${nameOf(transcriber)}`))).toBe(4 * 5);
    for (const llm of COMPATIBLE_MODELS) expect(plans.map((plan) => plan.llm)).toContain(llm);
    return registry.close();
  });

  it.each(TRANSCRIBERS)('completes a call of $provider $model with each provider of the other kinds', async (one) => {
    const plans = pairwise().filter(({ transcriber }) => transcriber === one);
    await runAll(plans, ({ llm, transcriber, voice }) => [transcriber, llm, voice].map(nameOf).join(' + '));
  });

  it('appears in the usage and in the cost of its call', async () => {
    const word = wordOf('u', 0);
    const { cost, metrics } = await runCall({ ...HEALTHY, word });
    const spoken = answerOf(word).length + LAST_WORDS.length;
    expect(metrics).toMatchObject({
      providers: expect.arrayContaining([
        { kind: 'transcriber', provider: 'deepgram', model: 'nova-3', audio_seconds: expect.any(Number) },
        expect.objectContaining({ kind: 'llm', provider: 'openai', model: 'gpt-4.1-mini', input_tokens: 10 }),
        { kind: 'voice', provider: 'deepgram', model: 'aura-2-thalia-en', characters: spoken, cost: spoken },
      ]),
      cost: { telephony: 0, transcriber: 0, llm: 0, voice: spoken, total: spoken },
    });
    expect(cost).toBe(spoken);
  });

  const replaced = 'is replaced by its fallback during a call, without lost user speech or repeated agent speech';

  it.each(['transcriber', 'model'] as const)(`${replaced}: %s`, async (kind) => {
    await runAll(FAILURES[kind], ({ failing }) => failing);
  });

  it(`${replaced}: voice`, async () => {
    await runAll(FAILURES.voice, ({ failing }) => failing);
    for (const { failing, fallbacks, word } of FAILURES.voice) {
      const [next] = fallbacks?.voice ?? [];
      const texts = bed.textsOf(next === OPENAI_VOICE ? 'openai' : 'deepgram').filter((text) => text.includes(word));
      // The user has already heard the start, so the fallback voice speaks only the rest; again if its audio comes late.
      expect(texts, failing).not.toEqual([]);
      for (const text of texts) expect(text, failing).toBe(answerOf(word).slice(-text.length));
      expect(texts, failing).not.toContain(answerOf(word));
    }
  });

  it('never logs its key, even after failures', () => {
    const log = test.log();
    expect(log).toContain('"kind":"transcriber"');
    expect(log).toContain('"kind":"voice"');
    const keys = Object.entries(bed.environment).filter(([name]) => name.endsWith('_API_KEY'));
    expect(keys.filter(([, key]) => log.includes(key))).toEqual([]);
  });
});
