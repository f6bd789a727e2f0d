import { type UseComboboxState, type UseComboboxStateChangeOptions, useCombobox } from 'downshift';
import {
  type ChangeEvent,
  type KeyboardEvent,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import {
  type Country,
  findCountry,
  findCountryByName,
  searchCountries,
  sortCountries,
} from '../countries/search';
import type { Countries } from '../countries/use-countries';
import type { FieldProps } from '../forms/use-form';
import { useTranslation } from '../i18n/use-translation';
import { Button } from './button';
import styles from './country-field.module.css';
import { Field } from './field';
import fieldStyles from './field.module.css';
import { Icon } from './icon';

interface CountryFieldProps extends FieldProps {
  countries: Countries;
}

/**
 * A combobox of countries (ARIA Authoring Practices). The form value is the code of the selected country, or an empty
 * string. The selection is React state, because the list and the input depend on it.
 */
export function CountryField(props: CountryFieldProps) {
  const { name, error, announceError, onInput } = props;
  const { list, preselected, failed, retry } = props.countries;
  const { t, language } = useTranslation();
  const label = t('common.country');
  // The text that the user has typed since the list was opened. The filter differs from the value of the input, because
  // a field with a selected country opens the full list.
  const [filter, setFilter] = useState('');
  const [code, setCode] = useState('');
  const input = useRef<HTMLInputElement>(null);
  const hidden = useRef<HTMLInputElement>(null);
  const isPreselected = useRef(false);
  const selectedCountry = list.find((country) => country.code === code) ?? null;
  // The list is sorted at the first use of the field, because sorting delays the first key press in the form.
  const [isUsed, setIsUsed] = useState(false);
  const sorted = useMemo(
    () => (isUsed ? sortCountries(list, language) : list),
    [isUsed, list, language],
  );
  const items = useMemo(() => [...searchCountries(sorted, filter)], [sorted, filter]);
  const onUse = { onFocus: () => setIsUsed(true), onPointerDown: () => setIsUsed(true) };

  const box = useCombobox<Country>({
    items,
    itemToString: (item) => item?.name ?? '',
    itemToKey: (item) => item?.code,
    scrollIntoView,
    selectedItem: selectedCountry,
    onSelectedItemChange: ({ selectedItem }) => {
      setCode(selectedItem?.code ?? '');
      onInput?.();
    },
    onStateChange: ({ isOpen, selectedItem = selectedCountry }) => {
      // A text that is not the full name of a country still filters the list, so that the arrow keys choose from its
      // matches.
      if (isOpen === false && selectedItem) setFilter('');
    },
    stateReducer: (state, action) =>
      selectTypedCountry(state, action, list, document.activeElement === input.current),
  });

  // The effects below are layout effects, because a passive effect may run after the next key press and undo it.

  // If the language changes, the name of the selected country changes too.
  const { setInputValue, setHighlightedIndex, openMenu } = box;
  const chosenName = selectedCountry?.name;
  useLayoutEffect(() => {
    if (chosenName) setInputValue(chosenName);
  }, [chosenName, setInputValue]);

  // The initial country is set once, so that the user can clear the field, and not while the user is in the field.
  // The prerendered page has no initial country.
  useLayoutEffect(() => {
    if (isPreselected.current || !list.length || !preselected) return;
    isPreselected.current = true;
    const isFocused = document.activeElement === input.current;
    if (!input.current?.value && !isFocused) setCode(preselected);
  }, [list, preselected]);

  // The user may have typed a country into the prerendered field before hydration.
  useLayoutEffect(() => {
    const earlyText = input.current?.value;
    const isFocused = document.activeElement === input.current;
    setIsUsed(isFocused);
    if (!earlyText) return;
    setInputValue(earlyText);
    if (!isFocused) return;
    setFilter(earlyText);
    openMenu();
  }, [setInputValue, openMenu]);

  // The value of the hidden input is set here, because a submit before hydration is replayed before the next render.
  useLayoutEffect(() => {
    if (!hidden.current || !input.current) return;
    const foundCode = findCountry(list, input.current.value)?.code ?? '';
    hidden.current.value ||= foundCode;
    // If the text was autofilled or typed before hydration, the name of the country replaces the text.
    if (foundCode && document.activeElement !== input.current) setCode(foundCode);
  }, [list]);

  // The first match is highlighted here if the list of countries loads after the user has typed.
  const hasMatches = box.isOpen && filter.trim() && items.length;
  useLayoutEffect(() => {
    if (hasMatches) setHighlightedIndex(0);
  }, [hasMatches, setHighlightedIndex]);

  // If the list loads after the user has typed the full name of a country, the country is selected here.
  const typedCountry = selectedCountry ? null : findCountryByName(list, box.inputValue);
  useLayoutEffect(() => {
    if (!typedCountry) return;
    // `selectItem` of the combobox is not used, because it reports the selection only after the next key press.
    setCode(typedCountry.code);
    onInput?.();
  }, [typedCountry, onInput]);

  /** Clears the field and moves the focus to the input, because the clear button is removed. */
  function clear() {
    box.reset();
    setFilter('');
    input.current?.focus();
  }

  /** Loads the list again and moves the focus to the input, because the focused button is removed meanwhile. */
  function loadAgain() {
    input.current?.focus();
    retry();
  }

  return (
    <>
      <Field
        control={(controlProps) => (
          <input
            {...withoutEmptyReference(
              box.getInputProps({
                ...controlProps,
                ...onUse,
                ref: input,
                'aria-labelledby': undefined,
                // The filter is set in the handler and not in an effect, because Enter may follow before the next
                // render.
                onChange: (event: ChangeEvent<HTMLInputElement>) => setFilter(event.target.value),
                // A click selects the text of a selected country, so that typing replaces the text, as after the Tab
                // key.
                onClick: () => selectedCountry && input.current?.select(),
                onKeyDown: ignoreComposition,
              }),
            )}
            // The field is busy while the list of countries loads, because the user cannot select a country yet.
            aria-busy={!(list.length || failed) || undefined}
            aria-required="true"
            autoComplete="country-name"
            autoCorrect="off"
            className={fieldStyles.control}
            // The name is for autofill only. The hidden input contains the form value.
            name={`${name}-name`}
            placeholder=" "
            spellCheck={false}
          />
        )}
        announceError={announceError}
        error={error ?? (failed ? t('common.country_failed') : null)}
        label={label}
        popup={<Popup box={box} items={items} />}
      >
        <input name={name} ref={hidden} type="hidden" value={code || (typedCountry?.code ?? '')} />
        <div className={fieldStyles.buttons}>
          <button
            aria-label={t('common.clear', { field: label })}
            className={`${fieldStyles.button} ${styles.clear}`}
            // The hidden button keeps its space, so that nothing moves when the initial country appears after the first
            // paint.
            hidden={!box.inputValue}
            onClick={clear}
            tabIndex={-1}
            type="button"
          >
            <Icon shape="clear" />
          </button>
          <button
            className={fieldStyles.button}
            type="button"
            {...box.getToggleButtonProps({ ...onUse, 'aria-label': t('common.country_toggle') })}
          >
            <Icon shape="down" />
          </button>
        </div>
      </Field>
      {failed ? (
        <Button variant="secondary" onClick={loadAgain}>
          {t('common.try_again')}
        </Button>
      ) : null}
    </>
  );
}

/** Keeps a key press from the combobox if the key belongs to an input method (UI Events, `isComposing`). */
function ignoreComposition({ nativeEvent }: KeyboardEvent): void {
  if (nativeEvent.isComposing) Object.assign(nativeEvent, { preventDownshiftDefault: true });
}

/** Removes an empty `aria-activedescendant`, because an empty reference to an element is not valid HTML. */
function withoutEmptyReference<Props extends { 'aria-activedescendant': string }>(props: Props) {
  return { ...props, 'aria-activedescendant': props['aria-activedescendant'] || undefined };
}

/**
 * Changes the combobox state after typing: selects the country of a full name, or clears the selection. A text in a
 * field without focus is autofilled, so a country code or an alternative name also selects its country.
 */
function selectTypedCountry(
  state: UseComboboxState<Country>,
  { type, changes }: UseComboboxStateChangeOptions<Country>,
  countries: readonly Country[],
  isFocused: boolean,
): Partial<UseComboboxState<Country>> {
  const { ControlledPropUpdatedSelectedItem, InputChange } = useCombobox.stateChangeTypes;
  // The input already has the text. Setting the text again would remove letters that the user has typed since.
  if (type === ControlledPropUpdatedSelectedItem) return state;
  if (type !== InputChange) return changes;
  const text = changes.inputValue ?? '';
  const hasMatch = text.trim() && searchCountries(countries, text).length;
  return {
    ...changes,
    selectedItem: (isFocused ? findCountryByName : findCountry)(countries, text),
    // Enter or blur selects the first match. If the field is empty, nothing is selected.
    highlightedIndex: hasMatch ? 0 : -1,
  };
}

function Popup({
  box,
  items,
}: {
  box: ReturnType<typeof useCombobox<Country>>;
  items: readonly Country[];
}) {
  const { t } = useTranslation();
  const isEmpty = box.isOpen && !items.length;
  return (
    <div className={box.isOpen ? styles.popup : styles.closed}>
      <ul
        className={styles.list}
        // Without `tabIndex`, Chrome puts a scrollable list into the tab order, and the focus on the list would close
        // it.
        {...box.getMenuProps({ 'aria-label': t('common.country_list'), tabIndex: -1 })}
      >
        {box.isOpen
          ? items.map((item, index) => (
              <li
                className={`${styles.option} ${index === box.highlightedIndex ? styles.highlighted : ''}`}
                key={item.code}
                {...box.getItemProps({ item, index })}
              >
                <span>{item.name}</span>
                {box.selectedItem?.code === item.code ? <Icon shape="tick" /> : null}
              </li>
            ))
          : null}
      </ul>
      <p aria-live="polite" className={isEmpty ? styles.none : undefined}>
        {isEmpty ? t('common.country_none') : null}
      </p>
    </div>
  );
}

/** Scrolls the list, and if necessary the page, only until the item is visible. */
function scrollIntoView(item: HTMLElement): void {
  item.scrollIntoView({ block: 'nearest' });
}
