import { useCallback, useEffect, useMemo, useState } from 'react';
import { report } from '../api/message';
import { loadCountries } from '../i18n/load';
import { cachedCountries } from '../i18n/texts';
import { useTranslation } from '../i18n/use-translation';
import { type Country, sortCountries } from './search';

export interface Countries {
  list: readonly Country[];
  failed: boolean;
  retry: () => void;
}

/** The countries in the language of the page; an empty list while they load. */
export function useCountries(): Countries {
  const { language } = useTranslation();
  const [failed, setFailed] = useState(false);
  const [reloadKey, setReloadKey] = useState(0);
  const next = useCallback(() => setReloadKey((key) => key + 1), []);
  const names = cachedCountries(language);
  const list = useMemo(() => sortCountries(names ?? {}, language), [names, language]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new reloadKey loads again
  useEffect(() => {
    if (names) return;
    let current = true;
    setFailed(false);
    loadCountries(language).then(
      () => current && next(),
      (failure: unknown) => {
        report(failure);
        if (current) setFailed(true);
      },
    );
    return () => {
      current = false;
    };
  }, [language, reloadKey]);

  return { list, failed: failed && !names, retry: next };
}
