import { Field } from './field';
import styles from './field.module.css';
import { Icon } from './icon';

interface SelectFieldProps {
  name: string;
  label: string;
  value: string;
  onChange: (value: string) => void;
  options: readonly number[];
  invalid?: boolean | undefined;
  describedBy?: string | undefined;
  autoComplete?: string;
}

/** A native select of numbers. */
export function SelectField(props: SelectFieldProps) {
  const { name, label, value, onChange, options, invalid, describedBy, autoComplete } = props;
  return (
    <Field
      control={(tied) => (
        <select
          {...tied}
          aria-required="true"
          autoComplete={autoComplete}
          className={`${styles.control} ${styles.select}`}
          name={name}
          onChange={(event) => onChange(event.target.value)}
          value={value}
        >
          <option value="" />
          {options.map((option) => (
            <option key={option} value={option}>
              {option}
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
