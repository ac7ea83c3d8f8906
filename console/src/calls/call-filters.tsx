import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { bodyOf } from '../api/connection.ts';
import { listAgents } from '../generated/client.ts';
import { useText } from '../i18n/language.tsx';
import { type CallSearch, readCallSearch } from './call-search.ts';

/** Agents whose names are known. */
export const AGENTS_MAX = 1_000;

/** The filters that the API has. A change is a new place, so the back button undoes it. */
export function CallFilters({ search }: { readonly search: CallSearch }) {
  const text = useText();
  const navigate = useNavigate();
  const agents = useQuery({ queryKey: ['agents'], queryFn: () => bodyOf(listAgents({ limit: AGENTS_MAX })) });
  const change = (name: keyof CallSearch, value: string) =>
    void navigate({ to: '/calls', search: readCallSearch({ ...search, [name]: value }) });
  return (
    <fieldset className="filters">
      <legend className="visually-hidden">{text.calls.filters}</legend>
      <label>
        {text.calls.agent}
        <select value={search.agent ?? ''} onChange={({ target }) => change('agent', target.value)}>
          <option value="">{text.calls.anyAgent}</option>
          {(agents.data?.data ?? []).map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label>
        {text.calls.type}
        <select value={search.type ?? ''} onChange={({ target }) => change('type', target.value)}>
          <option value="">{text.common.all}</option>
          <option value="phone_call">{text.calls.phone}</option>
          <option value="web_call">{text.calls.web}</option>
        </select>
      </label>
      {search.view !== 'running' && (
        <>
          <label>
            {text.calls.after}
            <input type="date" value={search.after ?? ''} onChange={({ target }) => change('after', target.value)} />
          </label>
          <label>
            {text.calls.before}
            <input type="date" value={search.before ?? ''} onChange={({ target }) => change('before', target.value)} />
          </label>
        </>
      )}
    </fieldset>
  );
}
