import { useCallback, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { report } from '../api/message';
import { loadCountries } from '../i18n';
import { type Country, sortCountries } from './search';

export interface Countries {
  list: readonly Country[];
  failed: boolean;
  retry: () => void;
}

/** The countries in the language of the page; an empty list while they are on their way. */
export function useCountries(): Countries {
  const { i18n } = useTranslation();
  const language = i18n.language;
  const [list, setList] = useState<readonly Country[]>([]);
  const [failed, setFailed] = useState(false);
  const [round, setRound] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round is another try
  useEffect(() => {
    let current = true;
    setFailed(false);
    loadCountries(language).then(
      (names) => current && setList(sortCountries(names, language)),
      (failure: unknown) => {
        report(failure);
        if (current) setFailed(true);
      },
    );
    return () => {
      current = false;
    };
  }, [language, round]);

  return { list, failed, retry: useCallback(() => setRound((number) => number + 1), []) };
}
