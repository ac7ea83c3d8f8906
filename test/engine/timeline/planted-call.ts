import type { SilenceCauseType } from '../../../engine/timeline/silence.ts';
import type { Scenario } from '../simulation/scenario.ts';
import { Simulation } from '../simulation/simulation.ts';

/** A number between two bounds, another one for each seed. */
export type Draw = (least: number, most: number) => number;

/** A call with one cause of a silence. Times in seconds. */
export interface PlantedCall {
  readonly call: Simulation;
  /** Start of the silence. */
  readonly atS: number;
  readonly lostShare?: number;
}

export interface PlantedCause {
  readonly name: string;
  readonly cause: SilenceCauseType;
  readonly plant: (draw: Draw) => PlantedCall;
}

export const QUESTIONS = ['Is there a table at ten?', 'Can I come on Monday?', 'What does the blue one cost?'];
export const LOOKUP = { type: 'custom_function' as const, name: 'lookup', url: 'https://example.com' };
export const SPEECH_START_S = 1;
export const LONG_MESSAGE =
  'Good morning and welcome to the company, we are glad that you are calling us today, how can we help?';

export function pick(texts: readonly string[], draw: Draw): string {
  return texts[Math.floor(draw(0, texts.length - 0.001))] ?? '';
}

/** The user asks a question of random length; the silence is right after it. */
export function question(
  scenario: Scenario,
  draw: Draw,
  { texts = QUESTIONS, ...options }: { readonly texts?: readonly string[]; readonly finalAfter?: number } = {},
): PlantedCall & { readonly endS: number } {
  const endS = SPEECH_START_S + draw(0.8, 2.5);
  const call = new Simulation(scenario).userSpeaks(SPEECH_START_S, endS, pick(texts, draw), options);
  return { call, atS: endS + 0.5, endS };
}

export function voiceActivity(call: Simulation, fromS: number, toS: number): Simulation {
  return call
    .at(fromS, ({ media }) => media.emit({ type: 'speech_started', audioMs: fromS * 1000 }))
    .at(toS, ({ media }) => media.emit({ type: 'speech_stopped', audioMs: toS * 1000 }));
}
