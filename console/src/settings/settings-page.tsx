import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { bodyOf } from '../api/connection.ts';
import { listSettings, type Setting } from '../generated/client.ts';
import { useText } from '../i18n/language.tsx';
import { Badge } from '../ui/badge.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { isShown, type SettingFilter, settingGroups } from './setting-filter.ts';

/** Every setting of the service with the variable that sets it. Only a start reads them. */
export function SettingsPage() {
  const text = useText();
  const [filter, setFilter] = useState<SettingFilter>({ words: '', onlySet: false });
  const query = useQuery({ queryKey: ['settings'], queryFn: () => bodyOf(listSettings()) });
  return (
    <section className="page">
      <h1>{text.settings.title}</h1>
      <p className="quiet">{text.settings.explanation}</p>
      <fieldset className="row plain">
        <legend className="visually-hidden">{text.calls.filters}</legend>
        <label className="row">
          {text.settings.find}
          <input
            className="short"
            type="search"
            value={filter.words}
            onChange={({ target }) => setFilter({ ...filter, words: target.value })}
          />
        </label>
        <label className="row">
          <input
            type="checkbox"
            checked={filter.onlySet}
            onChange={({ target }) => setFilter({ ...filter, onlySet: target.checked })}
          />
          {text.settings.onlySet}
        </label>
      </fieldset>
      <QueryView query={query}>
        {({ data }) => <Groups settings={data.filter((setting) => isShown(setting, filter))} />}
      </QueryView>
    </section>
  );
}

function Groups({ settings }: { readonly settings: readonly Setting[] }) {
  const text = useText();
  const columns = [text.settings.variable, text.settings.value, text.settings.defaultValue, text.settings.purpose];
  const groups = settingGroups(settings);
  if (groups.length === 0) return <p className="quiet">{text.settings.empty}</p>;
  return groups.map(([group, some]) => (
    <div key={group} className="stack">
      <h2>{text.settings.groups[group]}</h2>
      <DataTable label={text.settings.groups[group]} columns={columns} empty={text.settings.empty} isStacked>
        {some.map((setting) => (
          <tr key={setting.variable}>
            <td className="mono">{setting.variable}</td>
            <td className="cell-text" data-name={text.settings.value}>
              <Value setting={setting} />
            </td>
            <td className="mono cell-text" data-name={text.settings.defaultValue}>
              {setting.default_value ?? ''}
            </td>
            <td className="cell-text cell-wide">
              {setting.description}
              <p className="quiet">{setting.expected}</p>
            </td>
          </tr>
        ))}
      </DataTable>
    </div>
  ));
}

function Value({ setting: { secret, set, value } }: { readonly setting: Setting }) {
  const text = useText();
  if (!set) return <span className="quiet">{text.settings.notSet}</span>;
  return secret ? <Badge tone="info">{text.settings.secretSet}</Badge> : <span className="mono">{value}</span>;
}
