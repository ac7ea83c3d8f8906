import { useText } from '../i18n/language.tsx';
import { Numbers } from './numbers.tsx';
import { Refusals } from './refusals.tsx';
import { Trunks } from './trunks.tsx';

/** How calls reach the service and leave it: trunks, numbers, and INVITEs that were refused. */
export function TelephonyPage() {
  const text = useText();
  return (
    <section className="page">
      <h1>{text.telephony.title}</h1>
      <Trunks />
      <Numbers />
      <Refusals />
    </section>
  );
}
