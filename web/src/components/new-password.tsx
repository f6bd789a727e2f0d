import { useId } from 'react';
import { Checklist } from './checklist';
import { PasswordField } from './password-field';
import { PasswordHint } from './password-hint';

/** The result of `form.field(…)`. */
interface Typed {
  name: string;
  value: string;
  onChange: (value: string) => void;
  error: string | null;
}

interface NewPasswordProps {
  password: Typed;
  confirmation: Typed;
  /** The labels of the two fields. */
  labels: readonly [string, string];
  /** Minimum number of characters. */
  minLength: number;
  /** Checks only the length, not the kinds of characters. */
  lengthOnly?: boolean;
  /** Personal data that the password should not contain. */
  personal?: readonly string[];
  /** False for forms with an error summary. Default: true. */
  announceErrors?: boolean;
}

/** A new password and its confirmation, with the rules and a strength estimate. */
export function NewPassword(props: NewPasswordProps) {
  const { password, confirmation, labels, personal = [], announceErrors = true } = props;
  const checklist = useId();

  return (
    <>
      <PasswordField
        {...password}
        autoComplete="new-password"
        describedBy={checklist}
        label={labels[0]}
        announceError={announceErrors}
      />
      <PasswordHint password={password.value} personal={personal} />
      <PasswordField
        {...confirmation}
        autoComplete="new-password"
        label={labels[1]}
        announceError={announceErrors}
      />
      <Checklist
        confirmation={confirmation.value}
        id={checklist}
        lengthOnly={props.lengthOnly}
        password={password.value}
        minLength={props.minLength}
      />
    </>
  );
}
