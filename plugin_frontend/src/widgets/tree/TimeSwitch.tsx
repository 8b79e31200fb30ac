import { SegmentedControl } from "../SegmentedControl.tsx";

const SIDES = [
  ["device", "GPU"],
  ["host", "Host"],
] as const;

interface TimeSwitchProps {
  showsHost: boolean;
  onChoose: (time: "device" | "host") => void;
}

/** Whose time a drawing shows. */
export function TimeSwitch({ showsHost, onChoose }: TimeSwitchProps) {
  return <SegmentedControl label="Time of" options={SIDES} isChosen={(side) => (side === "host") === showsHost} onChoose={onChoose} />;
}
