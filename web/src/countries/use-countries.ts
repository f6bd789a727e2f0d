import { useCallback, useMemo } from 'react';
import { useConfig } from '../config';
import { useLoaded } from '../hooks/use-loaded';
import { loadCountries } from '../i18n/load';
import { cachedCountries } from '../i18n/texts';
import { useTranslation } from '../i18n/use-translation';
import { type Country, countriesOf } from './search';

export interface Countries {
  /** The countries in no particular order. */
  list: readonly Country[];
  /** The code of the country that is selected initially. */
  preselected?: string | null | undefined;
  failed: boolean;
  retry: () => void;
}

/** Returns the countries in the language of the page. Loads the country names, unless the page contains them. */
export function useCountries(): Countries {
  const { language } = useTranslation();
  const { country_code: preselected } = useConfig().region;
  const cached = cachedCountries(language);
  const load = useCallback(() => loadCountries(language), [language]);
  const { state, reloading, reload } = useLoaded(cached ? null : load);
  const list = useMemo(() => countriesOf(cached ?? {}), [cached]);
  return { list, preselected, failed: state.kind === 'failed' && !reloading, retry: reload };
}
