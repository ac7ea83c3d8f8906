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
