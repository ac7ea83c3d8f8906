import type { AgentConfiguration } from '../../agent/agent-schema.ts';
import { apologiesOf } from '../../failover/call-failure.ts';
import { languagePack } from '../../languages/language-packs.ts';
import { splitSentences } from '../../languages/sentence-splitter.ts';

/** An agent of a hundred states can have thousands of fillers, so the number of cached phrases is bounded. */
const PHRASES_MAX = 200;

/**
 * The texts that are equal in every call of an agent, split into segments as `say` splits them. The most important ones
 * come first: apology, initial message, fillers, then the rest. Texts with a {{variable}} are left out.
 */
export function phrasesToCache(agent: AgentConfiguration): readonly string[] {
  const { thinkingFiller, toolFiller } = languagePack(agent.language);
  const texts = [
    ...apologiesOf(agent),
    agent.recording_consent?.announcement ?? '',
    agent.initial_message,
    thinkingFiller,
    toolFiller,
    ...agent.presence_check_phrases,
    ...agent.states.flatMap((state) => [
      ...state.tools.map((tool) => tool.filler_sentence ?? ''),
      ...state.transitions.map((transition) => transition.filler_sentence ?? ''),
    ]),
  ];
  const fixed = texts.filter((text) => !text.includes('{{'));
  return [...new Set(fixed.flatMap((text) => splitSentences(text, agent.language)))].slice(0, PHRASES_MAX);
}
