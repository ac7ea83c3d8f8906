import type { Messages } from '../i18n/en.ts';
import type { Group } from './analytics-search.ts';

/** The group of a row of sums, in the language of the page. `agents`: names by their ids. */
export function groupName(
  group: string | null,
  groupBy: Group,
  agents: ReadonlyMap<string, string>,
  { calls, common, endReasons }: Messages,
): string {
  if (group === null) return common.none;
  switch (groupBy) {
    case 'agent_id':
      return agents.get(group) ?? group;
    case 'direction':
      return nameIn({ inbound: calls.inbound, outbound: calls.outbound }, group);
    case 'end_reason':
      return nameIn(endReasons, group);
    case 'answer_type':
      return nameIn(calls.answerTypes, group);
  }
}

function nameIn(names: Readonly<Record<string, string>>, group: string): string {
  return Object.hasOwn(names, group) ? (names[group] ?? group) : group;
}
