import { useNavigate } from '@tanstack/react-router';
import { AUDITED_OPERATIONS, auditKind } from '../../../src/api/audit/audited-operations.ts';
import type { ApiKeyListing } from '../generated/client.ts';
import { useText } from '../i18n/language.tsx';
import { DayRange } from '../ui/day-range.tsx';
import { type AuditSearch, readAuditSearch } from './audit-search.ts';

const KINDS = ['change', 'access'] as const;

interface AuditFiltersProps {
  readonly search: AuditSearch;
  readonly keys: readonly ApiKeyListing[];
}

/** The filters that the API has. A change is a new place, so the back button undoes it. */
export function AuditFilters({ search, keys }: AuditFiltersProps) {
  const text = useText();
  const navigate = useNavigate();
  const change = (name: keyof AuditSearch, value: string) =>
    void navigate({ to: '/audit-log', search: readAuditSearch({ ...search, [name]: value }) });
  return (
    <fieldset className="filters">
      <legend className="visually-hidden">{text.calls.filters}</legend>
      <label>
        {text.audit.action}
        <select value={search.action ?? ''} onChange={({ target }) => change('action', target.value)}>
          <option value="">{text.common.all}</option>
          {KINDS.map((kind) => (
            <optgroup key={kind} label={text.audit.kinds[kind]}>
              {AUDITED_OPERATIONS.filter((operation) => auditKind(operation) === kind).map((operation) => (
                <option key={operation} value={operation}>
                  {operation}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
      </label>
      <label>
        {text.session.key}
        <select value={search.key ?? ''} onChange={({ target }) => change('key', target.value)}>
          <option value="">{text.common.all}</option>
          {keys.map(({ id, name, prefix }) => (
            <option key={id} value={id}>
              {prefix === '' ? name : `${name} (${prefix}…)`}
            </option>
          ))}
        </select>
      </label>
      <DayRange range={search} change={change} />
      <label>
        {text.audit.target}
        <input
          key={search.target ?? ''}
          type="text"
          defaultValue={search.target ?? ''}
          spellCheck={false}
          onBlur={({ target }) => change('target', target.value)}
          onKeyDown={({ currentTarget, key }) => {
            if (key === 'Enter') change('target', currentTarget.value);
          }}
        />
      </label>
    </fieldset>
  );
}
