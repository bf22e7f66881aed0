package parquetfile

import (
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/heed-robots/heed/internal/saved"
)

// If the type t is not possible for the column n, the result value is nil, and possibleTypes says which types are possible.
func valueOf(n saved.Name, t parquet.Type) (value func(parquet.Value) saved.Value, possibleTypes string) {
	if _, isNull := logicalOf(t).(*format.NullType); isNull {
		return func(parquet.Value) saved.Value { return nil }, ""
	}
	switch n {
	case saved.Status:
		return statusOf(t), "a whole number or text"
	case saved.Fetched:
		return fetchedOf(t), "a timestamp, a date, a number (INT32, INT64 or DOUBLE) or text"
	}
	return textOf(t), "text or bytes"
}

func logicalOf(t parquet.Type) any {
	if logical := t.LogicalType(); logical != nil {
		return logical.Value
	}
	return nil
}

func textOf(t parquet.Type) func(parquet.Value) saved.Value {
	switch logicalOf(t).(type) {
	case nil, *format.StringType, *format.EnumType, *format.JsonType:
	default: // other logical types, such as decimal numbers, are not text
		return nil
	}
	if kind := t.Kind(); kind == parquet.ByteArray || kind == parquet.FixedLenByteArray {
		return func(v parquet.Value) saved.Value { return v.ByteArray() }
	}
	return nil
}

// Values with another meaning, such as days or decimal numbers, are not numbers here.
func numberOf(t parquet.Type) func(parquet.Value) saved.Value {
	switch logicalOf(t).(type) {
	case nil, *format.IntType:
	default:
		return nil
	}
	switch t.Kind() {
	case parquet.Int32:
		return func(v parquet.Value) saved.Value { return int64(v.Int32()) }
	case parquet.Int64:
		return func(v parquet.Value) saved.Value { return v.Int64() }
	case parquet.Double:
		return func(v parquet.Value) saved.Value { return v.Double() }
	}
	return nil
}

func statusOf(t parquet.Type) func(parquet.Value) saved.Value {
	if t.Kind() == parquet.Float && logicalOf(t) == nil {
		return func(v parquet.Value) saved.Value { return float64(v.Float()) }
	}
	if number := numberOf(t); number != nil {
		return number
	}
	return textOf(t)
}

// A FLOAT has too few digits for a time.
func fetchedOf(t parquet.Type) func(parquet.Value) saved.Value {
	switch logical := logicalOf(t).(type) {
	case *format.TimestampType:
		return timestampOf(logical)
	case *format.DateType:
		return func(v parquet.Value) saved.Value { return time.Unix(int64(v.Int32())*secondsOfDay, 0) }
	}
	if t.Kind() == parquet.Int96 {
		return func(v parquet.Value) saved.Value {
			const epoch = 2440588 // the Julian day number of 1970-01-01
			n := v.Int96()
			return time.Unix((int64(n[2])-epoch)*secondsOfDay, int64(uint64(n[1])<<32|uint64(n[0])))
		}
	}
	if number := numberOf(t); number != nil {
		return number
	}
	return textOf(t)
}

const secondsOfDay = 24 * 60 * 60

func timestampOf(t *format.TimestampType) func(parquet.Value) saved.Value {
	in := func(n int64) time.Time { return time.Unix(n/1e9, n%1e9) }
	switch t.Unit.Value.(type) {
	case *format.MilliSeconds:
		in = time.UnixMilli
	case *format.MicroSeconds:
		in = time.UnixMicro
	}
	return func(v parquet.Value) saved.Value { return in(v.Int64()) }
}
