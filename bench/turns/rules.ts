import { completeness } from '../../engine/completeness/completeness.ts';
import { pauseMsOf } from '../../engine/completeness/end-of-turn-pause.ts';
import { NO_EXPECTATION, type TurnExpectation } from '../../engine/completeness/expectation.ts';
import type { LanguagePack } from '../../engine/languages/language-pack.ts';
import { languagePack } from '../../engine/languages/language-packs.ts';
import { spokenLanguage } from '../../engine/languages/spoken-language.ts';
import type { LabelledTurn } from '../../fixtures/turns/labelled-turns.ts';

/** A set of rules: the pause in ms that ends a turn. */
export interface TurnRules {
  readonly name: string;
  readonly pauseMs: (turn: LabelledTurn) => number;
}

/** One part of the rules, left out: its words are missing from the pack, or its fact from the expectation. */
interface LeftOut {
  readonly name: string;
  readonly pack?: (pack: LanguagePack) => LanguagePack;
  readonly expectation?: Partial<TurnExpectation>;
  readonly ignoresSpokenLanguage?: boolean;
}

const NONE: ReadonlySet<string> = new Set();

const PARTS: readonly LeftOut[] = [
  { name: 'open words', pack: withClauses({ open: NONE, mostlyOpen: NONE, openUnmarked: NONE, questionWords: NONE }) },
  { name: 'open endings', pack: withClauses({ openEndings: NONE, auxiliaries: NONE }) },
  { name: 'verbs without an object', pack: withClauses({ objectVerbs: NONE }) },
  { name: 'open clauses', pack: withClauses({ clauseOpeners: NONE }) },
  { name: 'open phrases', pack: withoutPhrases },
  { name: 'closings', pack: withClauses({ closings: NONE }) },
  { name: 'announced dictation', pack: withoutDictationLeads },
  { name: 'the question', expectation: { question: '' } },
  { name: 'missing marks', expectation: { punctuates: false } },
  { name: 'own pauses', expectation: { pausesMs: [] } },
  { name: 'spoken language', ignoresSpokenLanguage: true },
];

export const TURN_RULES: readonly TurnRules[] = [
  { name: 'four fixed pauses', pauseMs: ({ fixedPauseMs }) => fixedPauseMs },
  { name: 'completeness', pauseMs: (turn) => completenessPauseMs(turn, { name: '' }) },
  ...PARTS.map((part) => ({
    name: `without ${part.name}`,
    pauseMs: (turn: LabelledTurn) => completenessPauseMs(turn, part),
  })),
];

function completenessPauseMs(
  turn: LabelledTurn,
  { pack, expectation, ignoresSpokenLanguage = false }: LeftOut,
): number {
  const agentLanguage = turn.agentLanguage ?? turn.language;
  const language = ignoresSpokenLanguage ? agentLanguage : spokenLanguage(turn.said, agentLanguage);
  const known = languagePack(language);
  return pauseMsOf(
    completeness(turn.said, pack?.(known) ?? known, {
      ...NO_EXPECTATION,
      question: turn.question ?? '',
      punctuates: turn.punctuates === true,
      pausesMs: turn.ownPausesMs ?? [],
      ...expectation,
    }),
  );
}

function withClauses(changed: Partial<LanguagePack['clauses']>): (pack: LanguagePack) => LanguagePack {
  return (pack) => ({ ...pack, clauses: { ...pack.clauses, ...changed } });
}

function withoutPhrases(pack: LanguagePack): LanguagePack {
  const phrases = {
    ...pack.clauses.phrases,
    articles: NONE,
    determiners: NONE,
    pronounArticles: NONE,
    firstPersons: NONE,
  };
  return { ...pack, clauses: { ...pack.clauses, phrases } };
}

function withoutDictationLeads(pack: LanguagePack): LanguagePack {
  const dictationLeads = { ...pack.clauses.dictationLeads, topics: {}, leadIns: {} };
  return { ...pack, clauses: { ...pack.clauses, dictationLeads } };
}
