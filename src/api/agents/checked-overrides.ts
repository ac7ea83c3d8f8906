import { type AgentOverrides, OVERRIDABLE_FIELDS, withOverrides } from '../../../engine/agent/agent-overrides.ts';
import type { AgentConfiguration } from '../../../engine/agent/agent-schema.ts';
import type { ApiDependencies } from '../context/route-context.ts';
import type { ErrorDetail } from '../errors/api-error.ts';
import { invalid } from '../errors/validation.ts';
import type { AgentOverridesBody } from '../schemas/agent-overrides.ts';
import { completedVoice, voiceNameFaults } from './agent-voice.ts';
import { languageFaults } from './language-faults.ts';
import { checkProviders } from './provider-faults.ts';
import { providerNameFaults } from './provider-name-faults.ts';

export type OverrideRules = Pick<
  ApiDependencies,
  'agentDefaults' | 'providers' | 'missingSetting' | 'providerOfModel' | 'checkGraph'
>;

/**
 * The overrides of a call. Fields that a partial `voice` or `llm` leaves out are those of the agent.
 *
 * @param agent the version that the call runs
 * @throws ApiError 422 that lists every fault, with paths below `agent_overrides`
 */
export function checkedOverrides(
  body: AgentOverridesBody,
  agent: AgentConfiguration,
  rules: OverrideRules,
): AgentOverrides {
  const { base_prompt, initial_message, language, max_call_duration } = body;
  const voiceFaults = body.voice === undefined ? [] : voiceNameFaults(body.voice, agent.voice);
  const voice = body.voice && voiceFaults.length === 0 ? completedVoice(body.voice, agent.voice) : undefined;
  const llm = body.llm && completedModel(body.llm, agent, rules);
  const overrides = {
    ...(base_prompt !== undefined && { base_prompt }),
    ...(initial_message !== undefined && { initial_message }),
    ...(voice !== undefined && { voice }),
    ...(llm !== undefined && { llm }),
    ...(language !== undefined && { language }),
    ...(max_call_duration !== undefined && { max_call_duration }),
  };
  const merged = withOverrides(agent, overrides);
  const faults = [
    ...languageFaults(merged, agent),
    ...checkProviders(merged, agent, 'transcriber', rules).faults,
    ...providerNameFaults(merged, 'transcriber'),
    ...rules.checkGraph(merged).faults.map(({ path, message }) => ({ field: path, message })),
  ];
  // The rest of the version was checked when it was stored.
  const own = faults.filter(({ field }) => OVERRIDABLE_FIELDS.some((name) => name in overrides && isPart(field, name)));
  const reported = [...voiceFaults, ...own];
  if (reported.length > 0) throw invalid(reported.map(inOverrides));
  return overrides;
}

/** Adds a missing provider: derived from the name of the model, otherwise that of the agent. */
function completedModel(
  llm: AgentConfiguration['llm'],
  agent: AgentConfiguration,
  { providerOfModel }: OverrideRules,
): AgentConfiguration['llm'] {
  const provider = llm.provider ?? providerOfModel(llm.model, agent.llm.provider);
  return provider === null ? llm : { ...llm, provider };
}

function isPart(field: string | null, name: string): boolean {
  return field !== null && (field === name || field.startsWith(`${name}.`));
}

function inOverrides({ field, message }: ErrorDetail): ErrorDetail {
  return { field: `agent_overrides.${field ?? ''}`, message };
}
