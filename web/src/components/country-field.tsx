import { type UseComboboxState, type UseComboboxStateChangeOptions, useCombobox } from 'downshift';
import { type ChangeEvent, useLayoutEffect, useMemo, useRef, useState } from 'react';
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
 * A searchable list of countries (combobox pattern of the ARIA Authoring Practices). The form value is the code of the
 * selected country, or an empty string. The selection is React state, because the list and the input depend on it.
 */
export function CountryField(props: CountryFieldProps) {
  const { name, error, announceError, onInput } = props;
  const { list, preselected, failed, retry } = props.countries;
  const { t, language } = useTranslation();
  const label = t('common.country');
  // The text typed since the list was opened. The input's value is not the filter, because the list opens unfiltered if
  // a country is selected.
  const [filter, setFilter] = useState('');
  const [code, setCode] = useState('');
  const input = useRef<HTMLInputElement>(null);
  const hidden = useRef<HTMLInputElement>(null);
  const isPreselected = useRef(false);
  const selectedCountry = list.find((country) => country.code === code) ?? null;
  // The list is sorted at the first use of the field, because sorting would delay the first key press of the form.
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
      // A text that names no country stays the filter, so that the arrow keys do not choose another country.
      if (isOpen === false && selectedItem) setFilter('');
    },
    stateReducer: (state, action) =>
      selectTypedCountry(state, action, list, document.activeElement === input.current),
  });

  // Layout effects are used, because a passive effect may run after the next key press and would undo that key press.

  // A change of language changes the name of the selected country.
  const { setInputValue, setHighlightedIndex, openMenu } = box;
  const chosenName = selectedCountry?.name;
  useLayoutEffect(() => {
    if (chosenName) setInputValue(chosenName);
  }, [chosenName, setInputValue]);

  // The initial country is set once, so that the user can clear the field. A prerendered page has only placeholders.
  useLayoutEffect(() => {
    if (isPreselected.current || !list.length || !preselected) return;
    isPreselected.current = true;
    if (!input.current?.value) setCode(preselected);
  }, [list, preselected]);

  // The user may have filled in the field of the prerendered page before hydration.
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

  // The form value is set in a layout effect, because an early submit is replayed before the next render.
  useLayoutEffect(() => {
    if (!hidden.current || !input.current) return;
    const foundCode = findCountry(list, input.current.value)?.code ?? '';
    hidden.current.value ||= foundCode;
    // If the text was autofilled or typed before hydration, the name of the country replaces the text.
    if (foundCode && document.activeElement !== input.current) setCode(foundCode);
  }, [list]);

  // The list of countries may load after the user has typed a text.
  const hasMatches = box.isOpen && filter.trim() && items.length;
  useLayoutEffect(() => {
    if (hasMatches) setHighlightedIndex(0);
  }, [hasMatches, setHighlightedIndex]);

  // A fully typed country is selected when the list loads after typing.
  const typedCountry = selectedCountry ? null : findCountryByName(list, box.inputValue);
  useLayoutEffect(() => {
    if (!typedCountry) return;
    // `selectItem` is not used, because `selectItem` reports the selection after the next key press.
    setCode(typedCountry.code);
    onInput?.();
  }, [typedCountry, onInput]);

  function clear() {
    box.reset();
    setFilter('');
    input.current?.focus();
  }

  /** Clears the field and moves the focus to the input, because the clear button is removed. */
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
                // The filter is set here and not in an effect, because Enter may follow before the next render.
                onChange: (event: ChangeEvent<HTMLInputElement>) => setFilter(event.target.value),
                // The next key replaces a chosen country, as after the Tab key.
                onClick: () => selectedCountry && input.current?.select(),
              }),
            )}
            // The list of countries is empty until it is loaded, so the user cannot select a country.
            aria-busy={!(list.length || failed) || undefined}
            aria-required="true"
            autoComplete="country-name"
            className={fieldStyles.control}
            // The name of this input serves autofill. The hidden input has the form value.
            name={`${name}-name`}
            placeholder=" "
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
            // The hidden clear button keeps its space, because the initial country is chosen after the first paint.
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

/** Removes an empty `aria-activedescendant`, because an empty reference to an element is not valid HTML. */
function withoutEmptyReference<Props extends { 'aria-activedescendant': string }>(props: Props) {
  return { ...props, 'aria-activedescendant': props['aria-activedescendant'] || undefined };
}

/**
 * Reduces the combobox state after typing: selects the country of a fully typed name, or clears the selection. An
 * autofilled text (without focus) is complete, so a country code or an alternative name also selects its country.
 */
function selectTypedCountry(
  state: UseComboboxState<Country>,
  { type, changes }: UseComboboxStateChangeOptions<Country>,
  countries: readonly Country[],
  isFocused: boolean,
): Partial<UseComboboxState<Country>> {
  const { ControlledPropUpdatedSelectedItem, InputChange } = useCombobox.stateChangeTypes;
  // The name is already set. Another assignment would remove the letters that were typed in between.
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
        // Chrome otherwise makes a list that scrolls a stop of the Tab key, which would close the list under the focus.
        {...box.getMenuProps({ 'aria-label': t('common.country_list'), tabIndex: -1 })}
      >
        {box.isOpen
          ? items.map((item, index) => (
              <li
                className={`${styles.option} ${index === box.highlightedIndex ? styles.highlighted : ''}`}
                key={item.code}
                {...box.getItemProps({ item, index })}
              >
                {item.name}
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

/** Scrolls the list, and also the page, just as far as the item needs. */
function scrollIntoView(item: HTMLElement): void {
  item.scrollIntoView({ block: 'nearest' });
}
