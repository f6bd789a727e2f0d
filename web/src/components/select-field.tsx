import { Field } from './field';
import styles from './field.module.css';
import { Icon } from './icon';

interface SelectFieldProps {
  name: string;
  label: string;
  onChange: () => void;
  options: readonly (readonly [value: number, text: string])[];
  defaultValue?: string | undefined;
  invalid?: boolean | undefined;
  describedBy?: string | undefined;
  autoComplete?: string;
}

/** A native select of numbers. The selected number is in the DOM and not in React state. */
export function SelectField(props: SelectFieldProps) {
  const { label, options, invalid, describedBy, ...passed } = props;
  return (
    <Field
      control={(controlProps) => (
        <select
          {...passed}
          {...controlProps}
          aria-required="true"
          className={`${styles.control} ${styles.select}`}
        >
          <option label="–" value="" />
          {options.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      )}
      describedBy={describedBy}
      invalid={invalid}
      label={label}
    >
      <span className={styles.arrow}>
        <Icon shape="down" />
      </span>
    </Field>
  );
}
