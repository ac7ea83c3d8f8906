import type { AgentState } from '../agent/state-schema.ts';
import type { Variable } from '../agent/variable-schema.ts';
import { agentRequest } from '../completeness/agent-request.ts';
import { type Completeness, completeness } from '../completeness/completeness.ts';
import { namedKinds } from '../completeness/dictation-lead.ts';
import type { CallContext } from '../core/context.ts';
import type { RuleStep } from '../core/rule-step.ts';
import { transcriberTraits } from '../current-providers/current-transcriber.ts';
import type { EntityKind } from '../languages/clause-words.ts';
import { languagePack } from '../languages/language-packs.ts';
import { userLanguageOf, userTurnText } from '../transcript/user-turn-text.ts';
import { lastAgentText } from './agent-question.ts';

interface Judged {
  /** Everything that the completeness depends on. */
  readonly inputs: readonly unknown[];
  readonly completeness: Completeness;
}

/**
 * By the history, which does not change while the user speaks: several rules of one event judge the same words, and most
 * finals repeat their last interim. What a final needs then is known before it, and the model is asked sooner.
 */
const JUDGED = new WeakMap<CallContext['history'], Judged>();

/** How complete the words of the open user turn are, with what this call expects of them. */
export function turnCompleteness(step: RuleStep): Completeness {
  const { context, state } = step;
  const { acousticEnd, agent, history, ownPausesMs, userLanguage, userTurn, variables } = context;
  const text = recent(userTurnText(userTurn));
  const traits = transcriberTraits(context);
  const inputs = [text, acousticEnd, agent, userTurn.language, ownPausesMs, state, traits, userLanguage, variables];
  const known = JUDGED.get(history);
  if (known?.inputs.every((input, index) => input === inputs[index])) return known.completeness;
  const judged = judge(text, context, state);
  JUDGED.set(history, { inputs, completeness: judged });
  return judged;
}

function judge(text: string, context: CallContext, state: AgentState): Completeness {
  const language = languagePack(userLanguageOf(text, context));
  return completeness(text, language, {
    question: agentRequest(lastAgentText(context), language),
    wanted: new Set([...variableKinds(context), ...toolKinds(state, context.agent.language)]),
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

interface KnownKinds {
  /** BCP 47, of the agent: a call may replace it, and share all else with other calls. */
  readonly language: string;
  readonly kinds: readonly EntityKind[];
}

/** Kinds by an agent's variables and by a state with its tools: neither changes during a call. */
const KINDS = new WeakMap<Variable | AgentState, KnownKinds>();

/** The kinds that the unset variables of the agent are named after. */
function variableKinds({ agent, variables }: CallContext): readonly EntityKind[] {
  const unset = agent.variables.filter(({ name }) => !variables.has(name));
  return unset.flatMap((variable) => kindsOf(variable, [variable.name], agent.language));
}

/** The kinds that the parameters of the state's tools are named after. */
function toolKinds(state: AgentState, language: string): readonly EntityKind[] {
  return kindsOf(state, state.tools.flatMap(parameterNames), language);
}

function parameterNames(tool: AgentState['tools'][number]): readonly string[] {
  return 'parameters' in tool ? tool.parameters.map(({ name }) => name) : [];
}

function kindsOf(named: Variable | AgentState, names: readonly string[], language: string): readonly EntityKind[] {
  const known = KINDS.get(named);
  if (known?.language === language) return known.kinds;
  const kinds = names.flatMap((name) => namedKinds(name, languagePack(language)));
  KINDS.set(named, { language, kinds });
  return kinds;
}
