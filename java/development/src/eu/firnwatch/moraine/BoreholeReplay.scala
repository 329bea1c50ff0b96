package eu.firnwatch.moraine

import com.acme.load.Load
import java.io.{BufferedInputStream, ByteArrayOutputStream, FileInputStream, InputStream}
import java.nio.file.{Files, Path}
import scala.util.Random

/** One reading of a thermistor in the ice: seconds since the one before, depth slot, temperature in centidegrees. */
final case class Reading(gap: Int, slot: Int, centi: Int)

/** The packed form in which the loggers in the field keep their readings. */
object Packed:
  def put(out: ByteArrayOutputStream, value: Int): Unit =
    var rest = (value << 1) ^ (value >> 31)
    while (rest & ~0x7f) != 0 do
      out.write(rest & 0x7f | 0x80)
      rest = rest >>> 7
    out.write(rest)

  def take(in: InputStream): Option[Int] =
    var value = 0
    var shift = 0
    var next = in.read() // [call]
    if next < 0 then None
    else
      while (next & 0x80) != 0 do
        value |= (next & 0x7f) << shift
        shift += 7
        next = in.read() // [call]
      value |= next << shift
      Some((value >>> 1) ^ -(value & 1))

final class LoggerDump(file: Path):
  def replay(use: Reading => Unit): Int =
    val in = FileInputStream(file.toFile) // [edit]
    // [new] val in = BufferedInputStream(FileInputStream(file.toFile))
    try
      Iterator
        .continually(for gap <- Packed.take(in); slot <- Packed.take(in); centi <- Packed.take(in)
          yield Reading(gap, slot, centi))
        .takeWhile(_.isDefined)
        .flatten
        .map { reading => use(reading); 1 }
        .sum
    finally in.close()

/** Conducts heat between the readings, to compare the ice with what it should have been. */
final class IceColumn(slots: Int):
  private val model = Array.fill(slots)(-4.0)
  private val next = Array.fill(slots)(-4.0)
  private var misfit = 0.0

  def accept(reading: Reading): Unit =
    for _ <- 1 to IceColumn.Steps do step(reading.gap / IceColumn.Steps.toDouble)
    val measured = reading.centi / 100.0
    misfit += math.abs(model(reading.slot) - measured)
    model(reading.slot) = 0.8 * model(reading.slot) + 0.2 * measured

  private def step(seconds: Double): Unit =
    var i = 1
    while i < slots - 1 do
      val conductivity = 9.828 * math.exp(-0.0057 * (273.15 + model(i)))
      next(i) = model(i) + conductivity * 4e-6 * seconds * (model(i - 1) - 2 * model(i) + model(i + 1))
      i += 1
    System.arraycopy(next, 1, model, 1, slots - 2)

  def report: (Double, Double) = (misfit, model.sum / slots)

object IceColumn:
  val Steps = 18

object BoreholeReplay:
  private val Slots = 40

  private def fieldDump(folder: Path, station: Int): Path =
    val random = Random(station)
    val bytes = ByteArrayOutputStream()
    for n <- 0 until 700 do
      Packed.put(bytes, 580 + random.nextInt(40))
      Packed.put(bytes, n % Slots)
      Packed.put(bytes, -380 - random.nextInt(300))
    Files.write(folder.resolve(s"borehole-$station.log"), bytes.toByteArray)

  def main(args: Array[String]): Unit =
    val folder = Files.createTempDirectory("moraine")
    var stations = 0
    Load.onThreads(2, "replay", () =>
      stations += 1
      val dump = LoggerDump(fieldDump(folder, stations))
      () =>
        val column = IceColumn(Slots)
        val readings = dump.replay(column.accept)
        Load.kept = (readings, column.report)
    )
