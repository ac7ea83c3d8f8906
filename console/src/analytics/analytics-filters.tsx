import { useNavigate } from '@tanstack/react-router';
import { useText } from '../i18n/language.tsx';
import { type AnalyticsSearch, GROUPS, RANGES, readAnalyticsSearch } from './analytics-search.ts';

interface AnalyticsFiltersProps {
  readonly search: AnalyticsSearch;
  /** Names of the agents by their ids. */
  readonly agents: ReadonlyMap<string, string>;
}

/** A change is a new place, so the back button undoes it. */
export function AnalyticsFilters({ agents, search }: AnalyticsFiltersProps) {
  const { analytics: text, calls, common } = useText();
  const navigate = useNavigate();
  const change = (name: keyof AnalyticsSearch, value: string) =>
    void navigate({ to: '/analytics', search: readAnalyticsSearch({ ...search, [name]: value }) });
  return (
    <fieldset className="filters">
      <legend className="visually-hidden">{calls.filters}</legend>
      <label>
        {text.range}
        <select value={search.days ?? 7} onChange={({ target }) => change('days', target.value)}>
          {Object.keys(RANGES).map((days) => (
            <option key={days} value={days}>
              {text.lastDays(Number(days))}
            </option>
          ))}
        </select>
      </label>
      <label>
        {calls.agent}
        <select value={search.agent ?? ''} onChange={({ target }) => change('agent', target.value)}>
          <option value="">{calls.anyAgent}</option>
          {[...agents].map(([id, name]) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label>
        {calls.direction}
        <select value={search.direction ?? ''} onChange={({ target }) => change('direction', target.value)}>
          <option value="">{common.all}</option>
          <option value="inbound">{calls.inbound}</option>
          <option value="outbound">{calls.outbound}</option>
        </select>
      </label>
      <label>
        {text.groupBy}
        <select value={search.group ?? 'agent_id'} onChange={({ target }) => change('group', target.value)}>
          {GROUPS.map((group) => (
            <option key={group} value={group}>
              {text.groups[group]}
            </option>
          ))}
        </select>
      </label>
    </fieldset>
  );
}
