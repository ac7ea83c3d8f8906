import type { AgentState } from '../agent/state-schema.ts';
import type { Variable } from '../agent/variable-schema.ts';
import { type Completeness, completeness } from '../completeness/completeness.ts';
import { namedKinds } from '../completeness/dictation-lead.ts';
import type { CallContext } from '../core/context.ts';
import type { RuleStep } from '../core/rule-step.ts';
import type { SpeechTimeline } from '../core/state/speech-timeline.ts';
import { transcriberTraits } from '../current-providers/current-transcriber.ts';
import type { EntityKind } from '../languages/clause-words.ts';
import { languagePack } from '../languages/language-packs.ts';
import { userLanguageOf, userTurnText } from '../transcript/user-turn-text.ts';

interface Judged {
  /** Everything but the words that the completeness depends on. */
  readonly inputs: readonly unknown[];
  readonly completeness: Completeness;
}

/** By the user's speech: several rules of one event judge the same words, and each revision makes another timeline. */
const JUDGED = new WeakMap<SpeechTimeline, Judged>();

/** How complete the words of the open user turn are, with what this call expects of them. */
export function turnCompleteness(step: RuleStep): Completeness {
  const { context, state } = step;
  const { acousticEnd, agent, history, ownPausesMs, userLanguage, userTurn, variables } = context;
  const { language, speech } = userTurn;
  const traits = transcriberTraits(context);
  const inputs = [acousticEnd, agent, history, language, ownPausesMs, state, traits, userLanguage, variables];
  const known = JUDGED.get(speech);
  if (known?.inputs.every((input, index) => input === inputs[index])) return known.completeness;
  const judged = judge(context, state);
  JUDGED.set(speech, { inputs, completeness: judged });
  return judged;
}

function judge(context: CallContext, state: AgentState): Completeness {
  const text = recent(userTurnText(context.userTurn));
  const language = languagePack(userLanguageOf(text, context));
  return completeness(text, language, {
    question: lastQuestion(context),
    wanted: new Set([...wantedVariables(context), ...toolKinds(state)]),
    entityDetection: state.features.entity_detection,
    punctuates: transcriberTraits(context).punctuates === true,
    pausesMs: context.ownPausesMs,
    acousticProbability: context.acousticEnd?.probability ?? null,
  });
}

/** Only the end of a long turn says whether it goes on. Unit: characters. */
const RECENT_CHARACTERS = 250;

/** The last words of a text. */
function recent(text: string): string {
  return text.length <= RECENT_CHARACTERS ? text : text.slice(-RECENT_CHARACTERS).replace(/^\S*\s+/, '');
}

/** The last question of the agent's last turn; empty if it asked none. */
function lastQuestion({ history }: CallContext): string {
  const item = history.findLast((item) => item.type === 'agent');
  const text = item === undefined ? '' : (item.playedText ?? item.text);
  return /[^.!?…]*\?(?=[^?]*$)/.exec(text)?.[0].trim() ?? '';
}

/** Kinds by an agent's variables and by a state's tools: neither changes during a call. */
const VARIABLE_KINDS = new WeakMap<Variable, readonly EntityKind[]>();
const TOOL_KINDS = new WeakMap<AgentState, readonly EntityKind[]>();

function wantedVariables({ agent, variables }: CallContext): readonly EntityKind[] {
  return agent.variables.flatMap((variable) => {
    if (variables.has(variable.name)) return [];
    const known = VARIABLE_KINDS.get(variable) ?? namedKinds(variable.name, languagePack(agent.language));
    VARIABLE_KINDS.set(variable, known);
    return known;
  });
}

function toolKinds(state: AgentState): readonly EntityKind[] {
  const known = TOOL_KINDS.get(state) ?? state.tools.flatMap(parameterKinds);
  TOOL_KINDS.set(state, known);
  return known;
}

function parameterKinds(tool: AgentState['tools'][number]): readonly EntityKind[] {
  return 'parameters' in tool ? tool.parameters.flatMap(({ name }) => namedKinds(name, languagePack('en'))) : [];
}
