import { money } from '../format/money.ts';
import { clockTime } from '../format/time.ts';
import type { Call, ProviderUsage } from '../generated/client.ts';
import type { Messages } from '../i18n/en.ts';
import { useLanguage } from '../i18n/language.tsx';
import { DataTable, numberColumns } from '../ui/data-table.tsx';
import { callCosts } from './call-costs.ts';

/** The usage and the cost of each provider of a call. */
export function CallCosts({ call }: { readonly call: Call }) {
  const { language, messages: text } = useLanguage();
  const { evidence } = text;
  const costs = callCosts(call);
  if (costs === null) return null;
  const { providers, telephony, total } = costs;
  const priced = (amount: number | undefined) =>
    amount === undefined ? <span className="quiet">{evidence.noPrice}</span> : money(amount, language);
  return (
    <div className="card stack">
      <h2>{text.call.usage}</h2>
      <DataTable
        label={text.call.usage}
        columns={[text.analytics.provider, ...numberColumns(text.analytics.used, text.call.cost)]}
        empty=""
      >
        {[
          ...providers.map((used) => (
            <tr key={`${used.kind} ${used.provider} ${used.model}`}>
              <th scope="row" className="cell-text">
                {`${used.provider} (${text.analytics.kinds[used.kind]})`} <span className="quiet">{used.model}</span>
              </th>
              <td className="number">{usedOf(used, text, language)}</td>
              <td className="number">{priced(used.cost)}</td>
            </tr>
          )),
          ...(telephony === 0
            ? []
            : [
                <tr key="telephony">
                  <th scope="row">{text.telephony.title}</th>
                  <td className="number">{clockTime(call.duration_seconds * 1_000)}</td>
                  <td className="number">{priced(telephony)}</td>
                </tr>,
              ]),
          <tr key="total">
            <th scope="row">{text.call.total}</th>
            <td />
            <td className="number">{priced(total)}</td>
          </tr>,
        ]}
      </DataTable>
      <p className="quiet small">{evidence.priceCurrency}</p>
    </div>
  );
}

function usedOf(used: ProviderUsage, { analytics: text }: Messages, language: string): string {
  switch (used.kind) {
    case 'transcriber':
      return clockTime((used.audio_seconds ?? 0) * 1_000);
    case 'llm':
      return text.tokens(
        (used.input_tokens ?? 0).toLocaleString(language),
        (used.output_tokens ?? 0).toLocaleString(language),
      );
    case 'voice':
      return text.characters((used.characters ?? 0).toLocaleString(language));
  }
}
