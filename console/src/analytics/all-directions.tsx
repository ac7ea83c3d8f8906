import { useText } from '../i18n/language.tsx';
import type { AnalyticsSearch } from './analytics-search.ts';

/** Stands beside numbers that the service does not count by direction, while the page shows one direction. */
export function AllDirections({ search }: { readonly search: AnalyticsSearch }) {
  const { analytics: text } = useText();
  return search.direction === undefined ? null : <p className="quiet">{text.allDirections}</p>;
}
