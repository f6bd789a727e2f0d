import { type FocusEvent, type MouseEvent, useLayoutEffect, useRef, useState } from 'react';
import { logFailure } from '../api/message';
import { useAnnouncement } from '../components/announcer';
import { Flag } from '../components/flag';
import { Icon } from '../components/icon';
import { Spinner } from '../components/spinner';
import { useConfig } from '../config';
import { chooseLanguage } from '../i18n/load';
import { useTranslation } from '../i18n/use-translation';
import { isLanguage, LANGUAGE_NAMES, type Language } from '../languages';
import styles from './language-menu.module.css';
import { useMenuKeys } from './use-menu-keys';

/** The menu for the language (menu button pattern of the ARIA Authoring Practices). */
export function LanguageMenu() {
  const { t, language: shown } = useTranslation();
  const { languages } = useConfig();
  const [open, setOpen] = useState(false);
  const [isLoadFailed, setIsLoadFailed] = useState(false);
  const [loadingLanguage, setLoadingLanguage] = useState<Language | null>(null);
  const [isChanged, setIsChanged] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const keys = useMenuKeys(menu, close);
  const current = isLanguage(shown) ? shown : 'en';
  const loadingText = loadingLanguage
    ? t('shell.language_loading', { language: LANGUAGE_NAMES[loadingLanguage] })
    : null;
  const currentText = `${t('shell.language')}: ${LANGUAGE_NAMES[current]}`;
  useAnnouncement(loadingText ?? (isChanged ? currentText : null));

  useLayoutEffect(() => {
    if (open) menu.current?.querySelector<HTMLElement>('[aria-checked="true"]')?.focus();
  }, [open]);

  function close() {
    setOpen(false);
    button.current?.focus();
  }

  function choose(language: Language) {
    close();
    setIsLoadFailed(false);
    setIsChanged(false);
    setLoadingLanguage(language);
    chooseLanguage(language)
      .then(() => setIsChanged(true))
      .catch((failure: unknown) => {
        logFailure(failure);
        setIsLoadFailed(true);
      })
      // If the user has chosen another language meanwhile, that language is still loading.
      .finally(() => setLoadingLanguage((latest) => (latest === language ? null : latest)));
  }

  function closeOutside(event: FocusEvent) {
    if (event.currentTarget.contains(event.relatedTarget)) return;
    setOpen(false);
    setIsLoadFailed(false);
    setIsChanged(false);
  }

  function toggle() {
    if (open) return close();
    setIsLoadFailed(false);
    setOpen(true);
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the handler only observes where the focus moves
    <div className={styles.wrap} onBlur={closeOutside}>
      <button
        aria-expanded={open}
        aria-haspopup="menu"
        aria-label={currentText}
        className={styles.button}
        onClick={toggle}
        // Safari does not focus a clicked button, so without this handler the click would close the menu and reopen it.
        onMouseDown={open ? keepFocus : undefined}
        ref={button}
        type="button"
      >
        {loadingLanguage ? <Spinner small /> : <Flag language={current} />}
        <span lang={current}>{LANGUAGE_NAMES[current]}</span>
        <Icon shape="down" />
      </button>
      {open ? (
        <div
          aria-label={t('shell.language')}
          className={styles.menu}
          onKeyDown={keys}
          ref={menu}
          role="menu"
          tabIndex={-1}
        >
          {languages.filter(isLanguage).map((language) => (
            <button
              aria-checked={language === current}
              className={styles.item}
              key={language}
              onClick={() => choose(language)}
              role="menuitemradio"
              tabIndex={-1}
              type="button"
            >
              <Flag language={language} />
              <span lang={language}>{LANGUAGE_NAMES[language]}</span>
              <span className={styles.code}>{language}</span>
              <span>{language === current ? <Icon shape="tick" /> : null}</span>
            </button>
          ))}
        </div>
      ) : null}
      {loadingText ? <p className={styles.loading}>{loadingText}</p> : null}
      {isLoadFailed ? (
        <p className={styles.failed} role="alert">
          {t('shell.language_failed')}
        </p>
      ) : null}
    </div>
  );
}

function keepFocus(event: MouseEvent): void {
  event.preventDefault();
}
