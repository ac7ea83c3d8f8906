import { describe, expect, it } from 'vitest';
import { GROUPS } from '../../console/src/analytics/analytics-search.ts';
import { axisLabels } from '../../console/src/analytics/axis-labels.ts';
import { groupName } from '../../console/src/analytics/group-name.ts';
import { de } from '../../console/src/i18n/de.ts';
import { en } from '../../console/src/i18n/en.ts';

describe('a group of sums', () => {
  const agents = new Map([['a', 'Front desk']]);

  it('is named in the language of the page', () => {
    expect(groupName('a', 'agent_id', agents, de)).toBe('Front desk');
    expect(groupName('inbound', 'direction', agents, de)).toBe('Eingehend');
    expect(groupName('caller_hangup', 'end_reason', agents, en)).toBe('The caller hung up');
    expect(groupName('call_screening', 'answer_type', agents, de)).toBe('Anrufprüfung');
  });

  it.each(GROUPS)('of a newer service, or without a value, has a name by %s, too', (groupBy) => {
    expect(groupName('constructor', groupBy, agents, en)).toBe('constructor');
    expect(groupName(null, groupBy, agents, de)).toBe(de.common.none);
  });
});

describe('a time axis in UTC', () => {
  const midnight = Date.UTC(2026, 10, 23) / 1_000;
  const noon = midnight + 12 * 3_600;

  it.each([
    ['en-GB', ['23 Nov', '12:00']],
    ['de', ['23. Nov.', '12:00']],
    ['fr', ['23 nov.', '12:00']],
    ['es', ['23 nov', '12:00']],
  ])('names days and hours as %s does', (locale, labels) => {
    expect(axisLabels([midnight, noon], locale)).toEqual(labels);
  });
});
