import { useText } from '../i18n/language.tsx';

interface DayRangeProps {
  /** ISO days; absent: no bound. */
  readonly range: { readonly after?: string | undefined; readonly before?: string | undefined };
  readonly change: (name: 'after' | 'before', day: string) => void;
}

/** The filters of a list by its first and last day. */
export function DayRange({ change, range }: DayRangeProps) {
  const { calls } = useText();
  return (
    <>
      <label>
        {calls.after}
        <input type="date" value={range.after ?? ''} onChange={({ target }) => change('after', target.value)} />
      </label>
      <label>
        {calls.before}
        <input type="date" value={range.before ?? ''} onChange={({ target }) => change('before', target.value)} />
      </label>
    </>
  );
}
